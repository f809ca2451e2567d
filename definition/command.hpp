#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

// The key `command` of a manifest: a program with flags. Its evaluator is one of ours, which
// tilewright-worker serves (docs/evaluator.md).

// The first two words of that evaluator.
inline constexpr const char* kOwnEvaluator = "tilewright-worker";
inline constexpr const char* kServesCommand = "--command";

struct Command {
  std::vector<std::string> words;  // with {NAME} for values
  std::string time = {};    // what its output has around a time: "took {ms}"; empty: none is there
  std::string expect = {};  // what the output of a right run has; empty: anything
};

// The words of the evaluator that serves it, and what they say after the first; nothing if they are
// no such words.
std::vector<std::string> evaluator_of(const Command& command);
std::optional<Command> command_in(const std::vector<std::string>& words);

// The word with what `value` says in place of each {NAME}. Other braces stay.
std::string filled(std::string_view word,
                   const std::function<std::string(const std::string& name)>& value);

// Finds times in lines of output.
class TimePattern {
 public:
  // Throws InputError unless the text has one of {ns}, {us}, {ms} and {s}, once.
  explicit TimePattern(std::string_view text);

  // In microseconds: the first number of the line between the text before the unit and the text
  // after it. Blanks around a number do not count. Without a text before the unit, a number that
  // begins inside a word or another number is skipped. Throws InputError if the pattern ends with
  // the unit and what follows the number makes it unclear: "1,234.5", or another unit.
  std::optional<double> find(std::string_view line) const;

 private:
  std::string before_, unit_, after_;
  double unit_us_ = 1;
};

}  // namespace tilewright
