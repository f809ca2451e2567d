#pragma once

#include <functional>
#include <iostream>  // for every command, as errors and texts are
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tools/input/options.hpp"
#include "tools/print/text.hpp"

namespace tilewright::tools {

// The program's exit status. Scripts rely on these numbers.
enum ExitStatus : int {
  kDone = 0,
  kNothing = 1,  // nothing found, legal or measured, or a check that does not hold
  kBadInput = 2,
  kMachine = 3,  // no such device, no compiler, a database or file that cannot be used
  kInterrupted = 130,
};

// What people come to the program for. The help lists the commands in this order.
enum class Purpose { tune, ask, ship, many_machines, keep };

// What the help says of a command.
struct CommandText {
  std::string name;  // one word, or two for the commands of `job`
  Purpose purpose = Purpose::tune;
  std::string about;    // one line
  std::string usage;    // what follows the name, without the options
  std::string example;  // one or more whole command lines
};

struct Command {
  CommandText text;
  std::vector<OptionSpec> options;
  // Reads a command line. Returns what runs it, which returns an ExitStatus; empty if the line asks
  // for help.
  std::function<std::function<int()>(const std::vector<std::string>& line)> read;
};

// Says on standard error why there is nothing. Returns kNothing.
int tell_nothing(const std::string& why);

// The words, and how to print what is found.
struct GivenPrinting : GivenWords {
  Detail detail = Detail::brief;  // --verbose
  bool json = false;              // --json

  void declare(Options& all) {
    all.flag(detail, Detail::full, kVerboseOption);
    all.flag(json, kJsonOption);
  }
};

// Of a command line with a bad value, an unknown operation or implementation is the greater
// mistake: throws InputError for one in the place that the command's usage has for it.
void refuse_unknown_name(const std::string& usage, GivenTexts given);

// `Given` has the values of the options, and in `words` what is left of a command line. Its
// declare() says which options there are and which members they go to.
template <class Given>
Command make_command(CommandText text, int (*run)(const Given& given)) {
  Given defaults;
  Options options;
  defaults.declare(options);
  const std::string usage = text.usage;
  return {std::move(text), options.specs(),
          [run, usage](const std::vector<std::string>& line) -> std::function<int()> {
            const auto given = std::make_shared<Given>();
            Options declared;
            given->declare(declared);
            auto words = declared.parse(
                line, [&usage](GivenTexts texts) { refuse_unknown_name(usage, std::move(texts)); });
            if (!words) return {};
            given->words = *std::move(words);
            return [run, given] { return run(*given); };
          }};
}

// All commands, in the order of the help. The list is in tools/CMakeLists.txt.
std::vector<Command> commands();

// The command that these words begin with, of which it takes one or two away. Throws InputError
// that suggests a similar name, or names the successor of an old command or option.
Command take_command(std::vector<std::string>& words);

}  // namespace tilewright::tools
