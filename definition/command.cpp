#include "definition/command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "definition/expression/expression_lexer.hpp"
#include "definition/text/errors.hpp"
#include "definition/text/escape.hpp"

namespace tilewright {
namespace {

constexpr std::string_view kTime = "--time=";
constexpr std::string_view kExpect = "--expect=";
constexpr std::string_view kWords = "--";
constexpr std::string_view kBlanks = " \t";
constexpr std::array<std::pair<std::string_view, double>, 4> kUnits = {
    {{"{ns}", 1e-3}, {"{us}", 1.0}, {"{ms}", 1e3}, {"{s}", 1e6}}};

bool is_name(std::string_view text) {
  return !text.empty() && starts_name(text.front()) && std::ranges::all_of(text, continues_name);
}

// Whether what follows is the rest of a word or of a number: of "fp16", "1,234.5" or "1e-400".
bool is_inside_word(std::string_view before) {
  if (before.ends_with('-') || before.ends_with('+')) before.remove_suffix(1);
  if (before.ends_with(',')) {
    before.remove_suffix(1);
    return !before.empty() && is_digit(before.back());
  }
  return !before.empty() && (continues_name(before.back()) || before.back() == '.');
}

std::string_view without_blanks(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

// Whether what follows a number may be the rest of it: of "1,234.5", "1'234" or "3:25".
bool may_go_on(std::string_view after) {
  const auto* const end = std::ranges::find_if(
      after, [](char c) { return continues_name(c) || kBlanks.find(c) != std::string_view::npos; });
  return end != after.begin() && end != after.end() && is_digit(*end);
}

// Throws for a number that is clear only if the pattern says what follows it.
void require_clear(std::string_view after, std::string_view unit, std::string_view line) {
  const auto refuse = [&](const std::string& why) {
    return bad_input("'{}': {}; say in 'time' what follows the number", beginning_of(line), why);
  };
  if (may_go_on(after)) throw refuse("the number may go on where its digits end");
  after = without_blanks(after);
  const auto* const end = std::ranges::find_if_not(after, continues_name);
  const std::string word = fmt::format("{{{}}}", std::string_view(after.begin(), end));
  for (const auto& [other, microseconds] : kUnits)
    if (word == other && word != unit)
      throw refuse(fmt::format("the number is in {}, not in {}", other, unit));
}

}  // namespace

std::vector<std::string> evaluator_of(const Command& command) {
  std::vector<std::string> words = {kOwnEvaluator, kServesCommand};
  if (!command.time.empty()) words.push_back(std::string(kTime) + command.time);
  if (!command.expect.empty()) words.push_back(std::string(kExpect) + command.expect);
  words.emplace_back(kWords);
  words.insert(words.end(), command.words.begin(), command.words.end());
  return words;
}

std::optional<Command> command_in(const std::vector<std::string>& words) {
  if (words.size() < 2 || words[1] != kServesCommand) return std::nullopt;
  Command command;
  for (std::size_t i = 2; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word.starts_with(kTime))
      command.time = word.substr(kTime.size());
    else if (word.starts_with(kExpect))
      command.expect = word.substr(kExpect.size());
    else if (word != kWords || i + 1 == words.size())
      return std::nullopt;
    else {
      command.words.assign(words.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.end());
      return command;
    }
  }
  return std::nullopt;
}

std::string filled(std::string_view word,
                   const std::function<std::string(const std::string& name)>& value) {
  std::string text;
  while (!word.empty()) {
    const std::size_t begin = word.find('{');
    const std::size_t end = word.find('}', std::min(begin, word.size()));
    text += word.substr(0, begin);
    if (begin == std::string_view::npos) break;
    const std::string name(word.substr(begin + 1, end - begin - 1));
    const bool is_value = end != std::string_view::npos && is_name(name);
    text += is_value ? value(name) : "{";
    word.remove_prefix(is_value ? end + 1 : begin + 1);
  }
  return text;
}

TimePattern::TimePattern(std::string_view text) {
  int found = 0;
  for (const auto& [unit, microseconds] : kUnits)
    for (std::size_t at = text.find(unit); at != std::string_view::npos;
         at = text.find(unit, at + 1), ++found) {
      before_ = without_blanks(text.substr(0, at));
      after_ = without_blanks(text.substr(at + unit.size()));
      unit_ = unit;
      unit_us_ = microseconds;
    }
  if (found != 1)
    throw bad_input(
        "'{}' does not say where a time is: the text needs one of {{ns}}, {{us}}, {{ms}} and {{s}} "
        "in the place of the number",
        text);
}

std::optional<double> TimePattern::find(std::string_view line) const {
  for (std::size_t at = line.find(before_); at != std::string_view::npos;
       at = line.find(before_, at + 1)) {
    const std::string_view rest = without_blanks(line.substr(at + before_.size()));
    if (before_.empty() && is_inside_word({line.data(), rest.data()})) continue;
    double number = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    if (error != std::errc() || !std::isfinite(number)) continue;
    const std::string_view after = rest.substr(static_cast<std::size_t>(end - rest.data()));
    if (after_.empty()) require_clear(after, unit_, line);
    if (without_blanks(after).starts_with(after_)) return number * unit_us_;
  }
  return std::nullopt;
}

}  // namespace tilewright
