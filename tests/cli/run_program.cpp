// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tests/cli/run_program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace tilewright::testing {
namespace {

namespace fs = std::filesystem;

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  std::string name = (fs::temp_directory_path() / "tilewright-cli-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code error;
  fs::remove_all(path_, error);
}

Finished run_tilewright(const fs::path& home, const std::vector<std::string>& arguments,
                        const std::vector<std::string>& environment,
                        std::chrono::milliseconds interrupt_after) {
  const TemporaryFolder captured;
  const fs::path out = captured / "out";
  const fs::path err = captured / "err";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), O_WRONLY | O_CREAT, 0600);
  posix_spawn_file_actions_addopen(&actions, 2, err.c_str(), O_WRONLY | O_CREAT, 0600);

  std::vector<std::string> words = {TILEWRIGHT_PROGRAM};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<std::string> variables = {"PATH=/usr/bin:/bin", "HOME=" + home.string()};
  variables.insert(variables.end(), environment.begin(), environment.end());

  pid_t child = 0;
  const int failed = posix_spawn(&child, TILEWRIGHT_PROGRAM, &actions, nullptr,
                                 pointers(words).data(), pointers(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw std::runtime_error("cannot run " TILEWRIGHT_PROGRAM);
  if (interrupt_after.count() > 0) {
    std::this_thread::sleep_for(interrupt_after);
    kill(child, SIGINT);
  }
  int status = 0;
  waitpid(child, &status, 0);
  Finished finished;
  finished.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  finished.out = content_of(out);
  finished.err = content_of(err);
  return finished;
}

std::string content_of(const fs::path& file) {
  std::ostringstream content;
  content << std::ifstream(file, std::ios::binary).rdbuf();
  return content.str();
}

void write_text(const fs::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

fs::path database_in(const fs::path& home) {
  return home / ".local/share/tilewright/tilewright.db";
}

bool is_untouched(const fs::path& home) {
  return std::all_of(
      fs::directory_iterator(home), fs::directory_iterator(),
      [](const fs::directory_entry& entry) { return entry.path().filename() == ".nv"; });
}

std::string why_no_compiler() {
  const TemporaryFolder home;
  const std::string version = run_tilewright(home.path(), {"--version"}).out;
  const std::size_t missing = version.find("NVRTC none");
  return missing == std::string::npos ? "" : version.substr(missing, version.find('\n', missing));
}

std::string why_no_device() {
  const TemporaryFolder home;
  const Finished devices = run_tilewright(home.path(), {"devices"});
  return devices.status == 0 ? "" : devices.err;
}

}  // namespace tilewright::testing
