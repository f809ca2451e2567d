#include "tests/cli/run_program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace tilewright::test {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> joined(std::vector<std::string> words,
                                const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// Where the tests run on another machine than they were built on, its folder is in
// TILEWRIGHT_TEST_BIN.
fs::path program() {
  const char* const folder = getenv("TILEWRIGHT_TEST_BIN");
  return folder == nullptr || *folder == '\0' ? TILEWRIGHT_PROGRAM
                                              : fs::path(folder) / "tilewright";
}

// test_code.hpp, of the build that has the program.
fs::path shared_code() {
  return program().parent_path().parent_path() / "test-code";
}

// The status that waitpid gives.
int wait_for(pid_t child, const Condition& interrupt_when, int signal) {
  int status = 0;
  bool interrupted = !interrupt_when;
  while (waitpid(child, &status, interrupted ? 0 : WNOHANG) == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    interrupted = interrupt_when();
    if (interrupted) kill(child, signal);
  }
  return status;
}

// `words` is the program and its arguments.
Finished run_program(std::vector<std::string> words, const fs::path& home,
                     const std::vector<std::string>& environment,
                     const Condition& interrupt_when = {}, int signal = SIGINT) {
  const TemporaryFolder captured;
  const fs::path out = captured / "out";
  const fs::path err = captured / "err";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), O_WRONLY | O_CREAT, 0600);
  posix_spawn_file_actions_addopen(&actions, 2, err.c_str(), O_WRONLY | O_CREAT, 0600);

  // LeakSanitizer guesses where NVRTC has its thread-local memory. For one address in 64 it is
  // wrong, and crashes.
  std::vector<std::string> variables = {
      "HOME=" + home.string(), "ASAN_OPTIONS=intercept_tls_get_addr=0:malloc_context_size=3"};
  const auto is_given = [&](const std::string& name) {
    return std::any_of(environment.begin(), environment.end(),
                       [&](const std::string& variable) { return variable.starts_with(name); });
  };
  if (!is_given("LC_ALL=")) variables.emplace_back("LC_ALL=C.UTF-8");
  if (!is_given("PATH=")) variables.emplace_back("PATH=/usr/bin:/bin");
  if (!is_given("TMPDIR=")) variables.emplace_back("TMPDIR=" + captured.path().string());
  if (!is_given("TILEWRIGHT_CACHE=") && !fs::exists(home / ".cache"))
    variables.emplace_back("TILEWRIGHT_CACHE=" + shared_code().string());
  if (!is_given("TILEWRIGHT_LOCKS="))
    variables.emplace_back("TILEWRIGHT_LOCKS=" + (captured / "locks").string());
  variables.insert(variables.end(), environment.begin(), environment.end());

  pid_t child = 0;
  const int failed = posix_spawnp(&child, words.front().c_str(), &actions, nullptr,
                                  pointers(words).data(), pointers(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw std::runtime_error("cannot run " + words.front());
  const int status = wait_for(child, interrupt_when, signal);
  Finished finished;
  finished.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  finished.out = content_of(out);
  finished.err = content_of(err);
  return finished;
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  std::string name = (fs::temp_directory_path() / "tilewright-cli-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = name;
}

void give_own_cache(const TemporaryFolder& home) {
  fs::create_directories(home / ".cache");
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code error;
  fs::remove_all(path_, error);
}

Finished run_tilewright(const fs::path& home, const std::vector<std::string>& arguments,
                        const std::vector<std::string>& environment,
                        const Condition& interrupt_when, int signal) {
  return run_program(joined({program().string()}, arguments), home, environment, interrupt_when,
                     signal);
}

Finished run_tilewright_within(const fs::path& home, const std::vector<std::string>& command,
                               const std::vector<std::string>& arguments) {
  return run_program(joined(joined(command, {program().string()}), arguments), home, {});
}

std::vector<std::string> limited_to_blocks(std::uintmax_t blocks) {
  return {"sh", "-c", "ulimit -f \"$0\" && exec \"$@\"", std::to_string(blocks)};
}

std::vector<std::string> without_privileges() {
  if (geteuid() != 0) return {};
  return {"setpriv", "--inh-caps=-all", "--bounding-set=-all"};
}

bool can_drop_privileges() {
  const TemporaryFolder home;
  return run_tilewright_within(home.path(), without_privileges(), {"--help"}).status == 0;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
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
  return std::all_of(fs::directory_iterator(home), fs::directory_iterator(),
                     [](const fs::directory_entry& entry) {
                       const fs::path name = entry.path().filename();
                       return name == ".nv" || (name == ".cache" && fs::is_empty(entry.path()));
                     });
}

std::string why_no_compiler() {
  const TemporaryFolder home;
  const std::string version = run_tilewright(home.path(), {"--version"}).out;
  const std::size_t missing = version.find("NVRTC none");
  return missing == std::string::npos ? "" : version.substr(missing, version.find('\n', missing));
}

std::string why_no_gpu() {
  const TemporaryFolder home;
  return run_tilewright(home.path(), {"devices"}).err;
}

}  // namespace tilewright::test
