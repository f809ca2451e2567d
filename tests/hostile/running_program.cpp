#include "tests/hostile/running_program.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <charconv>
#include <csignal>
#include <stdexcept>
#include <thread>

#include "tests/cli/run_program.hpp"

namespace tilewright::test {
namespace {

namespace fs = std::filesystem;

// The fourth field of /proc/PID/stat; the second is in brackets and may hold anything.
pid_t parent_of(const fs::path& process) {
  const std::string stat = content_of(process / "stat");
  const std::size_t bracket = stat.rfind(") ");
  pid_t parent = -1;
  if (bracket != std::string::npos && stat.size() > bracket + 4)
    std::from_chars(stat.data() + bracket + 4, stat.data() + stat.size(), parent);
  return parent;
}

// The first argument.
std::string role_of(const fs::path& process) {
  const std::string words = content_of(process / "cmdline");
  const std::size_t end = words.find('\0');
  return end == std::string::npos ? "" : std::string(words.c_str() + end + 1);
}

}  // namespace

RunningProgram::RunningProgram(const fs::path& home, const std::vector<std::string>& words) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  const std::string out = home / "out";
  const std::string err = home / "err";
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err.c_str(),
                                   O_WRONLY | O_CREAT | O_APPEND, 0600);
  std::vector<std::string> arguments = words;
  std::vector<std::string> variables = {"HOME=" + home.string(), "TMPDIR=" + home.string(),
                                        "TILEWRIGHT_LOCKS=" + (home / "locks").string(),
                                        "PATH=/usr/bin:/bin"};
  const int failed = posix_spawn(&pid_, words.front().c_str(), &actions, nullptr,
                                 pointers(arguments).data(), pointers(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw std::runtime_error("cannot run " + words.front());
}

RunningProgram::~RunningProgram() {
  if (pid_ <= 0) return;
  kill();
  waitpid(pid_, nullptr, 0);
}

std::optional<int> RunningProgram::wait(std::chrono::milliseconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  for (;;) {
    int status = 0;
    if (waitpid(pid_, &status, WNOHANG) == pid_) {
      pid_ = -1;
      return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    if (std::chrono::steady_clock::now() >= deadline) return std::nullopt;
    std::this_thread::sleep_for(std::chrono::microseconds(500));
  }
}

void RunningProgram::kill(int signal) const {
  if (pid_ > 0) ::kill(pid_, signal);
}

std::vector<pid_t> RunningProgram::workers(const std::string& role) const {
  std::vector<pid_t> found;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    pid_t id = -1;
    std::from_chars(name.data(), name.data() + name.size(), id);
    if (id > 0 && parent_of(entry.path()) == pid_ && role_of(entry.path()) == role)
      found.push_back(id);
  }
  return found;
}

}  // namespace tilewright::test
