#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tools/input/options.hpp"

namespace tilewright::tools {

// The program's exit status. Scripts rely on these numbers.
enum ExitStatus : int {
  kDone = 0,
  kNothing = 1,  // nothing found, legal or measured, or a check that does not hold
  kBadInput = 2,
  kMachine = 3,  // no such device, no compiler, a database or file that cannot be used
  kInterrupted = 130,
};

struct Command {
  std::string name;
  std::string about;    // one line
  std::string usage;    // what follows the name, without the options
  std::string example;  // one or more whole command lines
  std::vector<OptionSpec> options;
  std::function<int(const Arguments&)> run;  // returns an ExitStatus
};

// All subcommands, in the order of the help. The list is in tools/CMakeLists.txt.
std::vector<Command> commands();

// Throws InputError that suggests a similar name.
Command command_named(const std::string& name);

}  // namespace tilewright::tools
