#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tilewright::host {

struct CommandResult {
  int status = 0;      // exit status, or 128 + the signal that ended it
  std::string output;  // standard output and error together
};

// Runs a program in `folder` with an empty standard input, and waits for it. Throws MachineError if
// it cannot be started.
CommandResult run_command(const std::filesystem::path& program,
                          const std::vector<std::string>& arguments,
                          const std::filesystem::path& folder);

// A new folder below another one. The destructor removes it with its contents.
class ScratchFolder {
 public:
  // Throws MachineError.
  explicit ScratchFolder(const std::filesystem::path& parent);
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder();
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace tilewright::host
