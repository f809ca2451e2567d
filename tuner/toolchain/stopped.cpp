#include "tuner/toolchain/stopped.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <initializer_list>
#include <sstream>
#include <string_view>
#include <system_error>

namespace tilewright {
namespace {

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

struct Finding {
  Stopped why = Stopped::no;
  std::string line;
};

Finding find(const CommandResult& run) {
  std::istringstream lines(run.output);
  for (std::string line; std::getline(lines, line);)
    if (const Stopped why = why_stopped(line); why != Stopped::no) return {why, line};
  if (run.signal != 0) return {why_ended(run.signal), fmt::format("signal {}", run.signal)};
  if (run.output.find_first_not_of(" \n") == std::string::npos)
    return {Stopped::silently, fmt::format("exit status {} and no message", run.status)};
  return {};
}

}  // namespace

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

Stopped why_stopped(const CommandResult& run) {
  return find(run).why;
}

std::string stopping_line(const CommandResult& run) {
  return find(run).line;
}

}  // namespace tilewright
