#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tilewright {

struct CommandResult {
  int status = 0;      // exit status, or 128 + the signal that ended it
  int signal = 0;      // the signal that ended it, if one did
  std::string output;  // standard output and error together
};

// Runs a program in `folder` with an empty standard input, and waits for it. Its temporary files
// are in `folder` too, and its messages are in English. Throws MachineError if it cannot be
// started.
CommandResult run_command(const std::filesystem::path& program,
                          const std::vector<std::string>& arguments,
                          const std::filesystem::path& folder);

}  // namespace tilewright
