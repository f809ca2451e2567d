#include "tuner/toolchain/command.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>
#include <system_error>

#include "tilewright/error.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostOutput = 16 << 20;  // what follows is not read

// A file in memory, because a program must be able to say that the disk is full.
class MemoryFile {
 public:
  MemoryFile() : fd_(memfd_create("tilewright-output", MFD_CLOEXEC)) {
    if (fd_ < 0)
      throw MachineError(fmt::format("cannot keep a program's output: {}",
                                     std::generic_category().message(errno)));
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { close(fd_); }
  int fd() const { return fd_; }

  std::string content() const {
    std::string text;
    std::array<char, 1 << 16> part;
    while (text.size() < kMostOutput) {
      const ssize_t count = pread(fd_, part.data(), part.size(), static_cast<off_t>(text.size()));
      if (count > 0) text.append(part.data(), static_cast<std::size_t>(count));
      if (count == 0 || (count < 0 && errno != EINTR)) break;
    }
    return text;
  }

 private:
  int fd_;
};

struct FileActions {
  posix_spawn_file_actions_t value{};
  FileActions() { posix_spawn_file_actions_init(&value); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  ~FileActions() { posix_spawn_file_actions_destroy(&value); }
};

// This process's environment, but with temporary files in `folder` and messages in English.
std::vector<std::string> environment_in(const fs::path& folder) {
  std::vector<std::string> variables = {"TMPDIR=" + fs::absolute(folder).string(), "LC_ALL=C"};
  for (char** one = environ; *one != nullptr; ++one) {
    const std::string_view variable = *one;
    if (!variable.starts_with("TMPDIR=") && !variable.starts_with("LC_ALL="))
      variables.emplace_back(variable);
  }
  return variables;
}

// The form that posix_spawn takes. Points into `words`.
std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> result;
  for (std::string& word : words) result.push_back(word.data());
  result.push_back(nullptr);
  return result;
}

void wait_for(pid_t child, CommandResult& result) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  result.status = result.signal == 0 ? WEXITSTATUS(status) : 128 + result.signal;
}

}  // namespace

CommandResult run_command(const fs::path& program, const std::vector<std::string>& arguments,
                          const fs::path& folder) {
  const MemoryFile output;
  FileActions actions;
  posix_spawn_file_actions_addopen(&actions.value, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_adddup2(&actions.value, output.fd(), stream);
  posix_spawn_file_actions_addchdir_np(&actions.value, folder.c_str());

  std::vector<std::string> words = arguments;
  words.insert(words.begin(), program.string());
  std::vector<std::string> variables = environment_in(folder);
  pid_t child = 0;
  const int error = posix_spawn(&child, program.c_str(), &actions.value, nullptr,
                                pointers(words).data(), pointers(variables).data());
  if (error != 0)
    throw MachineError(
        fmt::format("cannot run {}: {}", program.string(), std::generic_category().message(error)));
  CommandResult result;
  wait_for(child, result);
  result.output = output.content();
  return result;
}

}  // namespace tilewright
