#include "tuner/toolchain/compiler_run.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <initializer_list>
#include <memory>
#include <sstream>
#include <system_error>
#include <thread>
#include <tuple>
#include <utility>

#include "tilewright/error.hpp"
#include "tuner/backend/descriptor.hpp"
#include "tuner/backend/parallel.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

// `what`: "read" or "written".
[[noreturn]] void throw_unusable(const fs::path& file, const char* what, std::error_code why) {
  throw MachineError(fmt::format("{} cannot be {}: {}", file.string(), what, why.message()));
}

std::error_code last_error() {
  return {errno, std::generic_category()};
}

using Words = std::initializer_list<std::string_view>;

// Signals that come from outside, or from a full disk (SIGBUS, in a file that is mapped into
// memory). why_stopped() has what the C library calls them.
constexpr std::array kEndingSignals = {SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGXFSZ, SIGXCPU, SIGBUS};

bool has_one_of(std::string_view text, Words words) {
  return std::ranges::any_of(
      words, [text](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

// By the messages of GCC, Clang, their linkers, and the libraries that they use.
Stopped why_stopped(std::string_view line) {
  if (names_machine_fault(line)) return Stopped::by_machine;
  const bool names_signal = has_one_of(
      line, {"signal terminated program", "terminated with signal", "unable to execute command:"});
  if (names_signal && has_one_of(line, {"Terminated", "Hangup", "Interrupt", "Quit", "Bus error",
                                        "limit exceeded"}))
    return Stopped::by_machine;
  if (names_signal && has_one_of(line, {"Killed"})) return Stopped::by_memory;
  if (has_one_of(line, {"out of memory allocating", "virtual memory exhausted", "std::bad_alloc",
                        "annot allocate memory", "LLVM ERROR: out of memory"}))
    return Stopped::by_memory;
  if (names_signal || has_one_of(line, {"internal compiler error", "PLEASE submit a bug report"}))
    return Stopped::by_itself;
  return Stopped::no;
}

Stopped why_ended(int signal) {
  if (std::ranges::find(kEndingSignals, signal) != kEndingSignals.end()) return Stopped::by_machine;
  return signal == SIGKILL ? Stopped::by_memory : Stopped::by_itself;
}

// Why it ended, and the line of the output that shows it, or how the program ended. Judges by the
// status, and by what compilers and the C library say in English.
std::pair<Stopped, std::string> find(const CommandResult& run) {
  std::istringstream lines(run.output);
  for (std::string line; std::getline(lines, line);)
    if (const Stopped why = why_stopped(line); why != Stopped::no) return {why, line};
  if (run.signal != 0) return {why_ended(run.signal), fmt::format("signal {}", run.signal)};
  if (run.output.find_first_not_of(" \n") == std::string::npos)
    return {Stopped::silently, fmt::format("exit status {} and no message", run.status)};
  return {Stopped::no, ""};
}

CompilerRun run_once(const fs::path& program, const std::vector<std::string>& arguments,
                     const fs::path& folder, const std::string& file) {
  CompilerRun run{run_command(program, arguments, folder)};
  // The file must exist, too, because a program that ignores SIGCHLD learns no exit status.
  run.has_made_file = run.command.status == 0 && fs::exists(folder / file);
  if (!run.has_made_file) std::tie(run.stopped, run.stopping_line) = find(run.command);
  return run;
}

constexpr std::size_t kMostOutput = 16 << 20;  // what follows is not read

std::string content_of(const Descriptor& file) {
  std::string text;
  std::array<char, 1 << 16> part;
  while (text.size() < kMostOutput) {
    const ssize_t count =
        pread(file.get(), part.data(), part.size(), static_cast<off_t>(text.size()));
    if (count > 0) text.append(part.data(), static_cast<std::size_t>(count));
    if (count == 0 || (count < 0 && errno != EINTR)) break;
  }
  return text;
}

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

// A file in memory, because a program must be able to say that the disk is full.
Descriptor output_file() {
  Descriptor file(memfd_create("tilewright-output", MFD_CLOEXEC));
  if (file.get() < 0)
    throw MachineError(fmt::format("cannot keep a program's output: {}", last_error().message()));
  return file;
}

bool is_too_much(const Descriptor& file) {
  struct stat state = {};
  return fstat(file.get(), &state) == 0 && state.st_size > static_cast<off_t>(kMostOutput);
}

// Why the child has to be killed; empty if it has ended.
std::string why_killed(pid_t child, std::chrono::milliseconds limit, const Descriptor& output,
                       const Descriptor& errors) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  for (siginfo_t info{}; info.si_pid != child;) {
    if (is_too_much(output) || is_too_much(errors))
      return fmt::format("wrote over {} MiB", kMostOutput >> 20);
    if (std::chrono::steady_clock::now() > deadline)
      return fmt::format("did not end within {:.6g} s",
                         std::chrono::duration<double>(limit).count());
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    // A program that ignores SIGCHLD has no child to wait for once it has ended.
    if (waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) != 0) break;
  }
  return {};
}

// With its descendants, such as the compiler of a wrapper, each of which a thread of its parent has
// started. One that is stopped starts no others, and the ids of its children stay theirs.
void kill_with_descendants(pid_t process) {
  kill(process, SIGSTOP);
  std::error_code error;
  fs::directory_iterator thread(fmt::format("/proc/{}/task", process), error);
  for (; !error && thread != fs::directory_iterator(); thread.increment(error)) {
    std::ifstream children(thread->path() / "children");
    for (pid_t child = 0; children >> child;) kill_with_descendants(child);
  }
  kill(process, SIGKILL);
}

void wait_for(pid_t child, CommandResult& result) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  result.status = result.signal == 0 ? WEXITSTATUS(status) : 128 + result.signal;
}

}  // namespace

CompilerRun run_compiler(const fs::path& program, const std::vector<std::string>& arguments,
                         const fs::path& folder, const std::string& file) {
  CompilerRun run = run_once(program, arguments, folder, file);
  return run.stopped == Stopped::no ? run : run_once(program, arguments, folder, file);
}

void write_source(const fs::path& file, const std::string& text) {
  std::error_code ignored;
  fs::create_directories(file.parent_path(), ignored);
  std::ofstream stream(file, std::ios::binary);
  stream << text;
  stream.close();
  if (stream.fail()) throw_unusable(file, "written", last_error());
}

std::vector<std::uint8_t> read_code(const fs::path& file) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(file, error);
  if (error) throw_unusable(file, "read", error);
  std::ifstream stream(file, std::ios::binary);
  std::vector<std::uint8_t> bytes(size);
  stream.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (stream.fail()) throw_unusable(file, "read", last_error());
  return bytes;
}

bool names_machine_fault(std::string_view line) {
  line = line.substr(0, line.find_last_not_of(" .)'\r\n") + 1);
  constexpr std::array kMayPass = {ENOSPC, EDQUOT, EFBIG, EMFILE, ENFILE,
                                   EINTR,  EIO,    EROFS, EAGAIN};
  return std::ranges::any_of(kMayPass, [line](int error) {
    return line.ends_with(std::generic_category().message(error));
  });
}

Outcome outcome_of(Stopped why) {
  if (why == Stopped::by_memory) return Outcome::compile_timed_out;
  return why == Stopped::silently ? Outcome::machine_failed : Outcome::compile_failed;
}

CommandResult run_command(const fs::path& program, const std::vector<std::string>& arguments,
                          const fs::path& folder, std::chrono::milliseconds limit,
                          StandardError where) {
  const Descriptor output = output_file();
  const Descriptor errors = where == StandardError::apart ? output_file() : Descriptor();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  const std::unique_ptr<posix_spawn_file_actions_t, int (*)(posix_spawn_file_actions_t*)> ended(
      &actions, posix_spawn_file_actions_destroy);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(
      &actions, where == StandardError::apart ? errors.get() : output.get(), STDERR_FILENO);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());

  std::vector<std::string> words = arguments;
  words.insert(words.begin(), program.string());
  std::vector<std::string> variables = environment_in(folder);
  pid_t child = 0;
  const int error = posix_spawn(&child, program.c_str(), &actions, nullptr, pointers(words).data(),
                                pointers(variables).data());
  if (error != 0)
    throw MachineError(fmt::format("cannot run {}: {}", program.string(), why_not_started(error)));
  std::string fault;
  if (limit.count() > 0) fault = why_killed(child, limit, output, errors);
  if (!fault.empty()) kill_with_descendants(child);
  CommandResult result;
  wait_for(child, result);
  if (!fault.empty())
    throw MachineError(fmt::format("{} {} {}", program.string(), fmt::join(arguments, " "), fault));
  result.output = content_of(output);
  if (where == StandardError::apart) result.errors = content_of(errors);
  return result;
}

}  // namespace tilewright
