// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tools/input/options.hpp"

namespace tilewright::tools {

// How the program ends. Part of its promise to scripts.
enum ExitStatus : int {
  kDone = 0,
  kNothing = 1,  // nothing found, nothing legal, or every configuration failed
  kBadInput = 2,
  kMachine = 3,  // no such device, no compiler, a database or file that cannot be used
  kInterrupted = 130,
};

// A subcommand as the help shows it and main runs it.
struct Command {
  std::string name;
  std::string about;    // one line
  std::string usage;    // what follows the name, options left out
  std::string example;  // one or more whole command lines
  std::vector<OptionSpec> options;
  std::function<int(const Arguments&)> run;  // gives an ExitStatus
};

// All of them, in the order of the help. tools/CMakeLists.txt holds the list.
std::vector<Command> commands();

}  // namespace tilewright::tools
