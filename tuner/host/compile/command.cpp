#include "tuner/host/compile/command.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <system_error>

#include "tilewright/error.hpp"

namespace tilewright::host {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOutputFile = "output.txt";

struct FileActions {
  posix_spawn_file_actions_t value{};
  FileActions() { posix_spawn_file_actions_init(&value); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  ~FileActions() { posix_spawn_file_actions_destroy(&value); }
};

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

CommandResult run_command(const fs::path& program, const std::vector<std::string>& arguments,
                          const fs::path& folder) {
  const fs::path output = folder / kOutputFile;
  FileActions actions;
  posix_spawn_file_actions_addopen(&actions.value, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions.value, STDOUT_FILENO, output.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions.value, STDOUT_FILENO, STDERR_FILENO);
  posix_spawn_file_actions_addchdir_np(&actions.value, folder.c_str());

  std::vector<std::string> words = arguments;
  words.insert(words.begin(), program.string());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  pid_t child = 0;
  const int error =
      posix_spawn(&child, program.c_str(), &actions.value, nullptr, pointers.data(), environ);
  if (error != 0)
    throw MachineError(
        fmt::format("cannot run {}: {}", program.string(), std::generic_category().message(error)));
  CommandResult result;
  result.status = wait_for(child);
  std::ifstream file(output, std::ios::binary);
  result.output.assign(std::istreambuf_iterator<char>(file), {});
  return result;
}

ScratchFolder::ScratchFolder(const fs::path& parent) {
  std::string name = (parent / "tilewright-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr)
    throw MachineError(fmt::format("cannot make a folder in {}: {}", parent.string(),
                                   std::generic_category().message(errno)));
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace tilewright::host
