#pragma once

#include <sys/types.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tilewright::test {

inline constexpr std::chrono::milliseconds kFarTooLong{120'000};

// A program that can be killed while it runs, and its workers with it. Its standard output is
// dropped, its standard error appended to HOME/err; HOME is also its folder for temporary files.
// Killed and reaped when the object goes.
class RunningProgram {
 public:
  RunningProgram(const std::filesystem::path& home, const std::vector<std::string>& words);
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;
  ~RunningProgram();

  // Its exit status, 128 + signal where one killed it; nothing if it still runs after `limit`.
  std::optional<int> wait(std::chrono::milliseconds limit);
  void kill(int signal = SIGKILL) const;

  // Its children that run as `role`: "device", "compile".
  std::vector<pid_t> workers(const std::string& role) const;

 private:
  pid_t pid_ = -1;
};

}  // namespace tilewright::test
