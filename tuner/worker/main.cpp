// tilewright-worker: the processes in which tilewright compiles, and in which it drives a device.
// tilewright starts them and talks to them over standard input and output
// (tuner/worker/channel.hpp).
#include <fcntl.h>
#include <fmt/ranges.h>
#include <pthread.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "definition/command.hpp"
#include "definition/text/errors.hpp"
#include "definition/text/escape.hpp"
#include "tuner/machine/machine.hpp"
#include "tuner/worker/command_evaluator.hpp"
#include "tuner/worker/evaluator_session.hpp"
#include "tuner/worker/process.hpp"
#include "tuner/worker/serve.hpp"

namespace tilewright {
namespace {

constexpr int kUsage = 2;
constexpr int kCannotWork = 3;
constexpr int kCompilersNiceness = 10;

// High, where a kernel that writes to descriptors or closes them comes last. At least beyond those
// of an evaluator, because become() copies it to them.
int moved(int descriptor) {
  constexpr int kHigh = 1000;
  const int high = fcntl(descriptor, F_DUPFD_CLOEXEC, kHigh);
  return high >= 0 ? high : fcntl(descriptor, F_DUPFD_CLOEXEC, kEvaluatorOutput + 1);
}

// The messages' descriptors, moved away from 0 and 1, because a library may print there.
struct Channel {
  int input = moved(STDIN_FILENO);
  int output = moved(STDOUT_FILENO);

  Channel() {
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (nothing >= 0) dup2(nothing, STDIN_FILENO);
    if (nothing >= 0) close(nothing);
    dup2(STDERR_FILENO, STDOUT_FILENO);
  }
};

// The process of an evaluator that tilewright times is the device's process: it has the session,
// and reads our messages where others read requests (tw_serve_callable).
void become(const WorkerRole& role, const Channel& channel) {
  dup2(channel.input, kEvaluatorInput);
  dup2(channel.output, kEvaluatorOutput);
  setenv("TILEWRIGHT_CALLABLE", std::string(to_text(role.kind)).c_str(), 1);
  std::vector<std::string> words = role.evaluator.words;
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execvp(pointers.front(), pointers.data());
  throw broken_machine("the evaluator `{}` cannot be started: {}",
                       fmt::format("{}", fmt::join(words, " ")),
                       std::generic_category().message(errno));
}

void serve(const WorkerRole& role, const Channel& channel) {
  // Batch systems send it to every process of a job. The program decides when this one ends.
  std::signal(SIGTERM, SIG_IGN);
  const Backend& backend = backend_of(role.kind);
  const bool is_evaluator = !role.evaluator.empty();
  const auto make_compiler = [&] { return backend.make_compiler(role.toolchain); };
  if (role.task == WorkerRole::Task::compile) {
    // All cores may compile, so the device's process, the search and people go first.
    [[maybe_unused]] const int niceness = nice(kCompilersNiceness);
    const std::unique_ptr<Compiler> compiler =
        is_evaluator ? make_evaluator_compiler(role.evaluator.words, role.kind, make_compiler)
                     : make_compiler();
    serve_compiler(*compiler, channel.input, channel.output);
  } else if (role.evaluator.is_timed_by_author()) {
    serve_evaluator(*make_evaluator_session(role.evaluator.words, role.kind), channel.input,
                    channel.output);
  } else if (is_evaluator) {
    become(role, channel);
  } else {
    // Copies of the process, which a kernel makes, end at once; programs start by posix_spawn(), as
    // system() does it. Libraries of a GPU start them by fork().
    if (runs_on_cpu(role.kind)) pthread_atfork(nullptr, nullptr, [] { _exit(0); });
    const std::unique_ptr<Evaluator> session = backend.make_session(role.toolchain);
    serve_evaluator(*session, channel.input, channel.output);
  }
}

int usage() {
  std::fputs(
      "usage: tilewright-worker compile [cuda|host] [--nvrtc FOLDER]... [--host-compiler FILE]\n"
      "       tilewright-worker device [cuda|host] [--nvrtc FOLDER]...\n"
      "       tilewright-worker compile|device cuda|host [...] --evaluator|--callable COMMAND...\n"
      "       tilewright-worker --command [--time=TEXT] [--expect=TEXT] -- WORD...\n"
      "Started by tilewright; speaks a binary protocol on standard input and output.\n",
      stderr);
  return kUsage;
}

int run(const std::vector<std::string>& words) {
  if (serve_command(words, kEvaluatorInput, kEvaluatorOutput)) return 0;
  std::optional<WorkerRole> role = read_role(words);
  if (!role) return usage();
  if (!role->evaluator.empty() && role->evaluator.words.front() == kOwnEvaluator)
    role->evaluator.words.front() = (program_folder() / kOwnEvaluator).string();
  const Channel channel;
  try {
    std::error_code error;  // without a scratch folder, only the host's compiler fails
    role->toolchain.scratch = std::filesystem::temp_directory_path(error);
    serve(*role, channel);
  } catch (const std::exception& error) {
    // The other end reports it once for all its workers; stderr is for a person at a terminal.
    if (isatty(channel.output) == 0)
      send_machine_error(channel.output, error.what());
    else
      std::fprintf(stderr, "tilewright-worker: %s\n", visible(error.what()).c_str());
    return kCannotWork;
  }
  return 0;
}

}  // namespace
}  // namespace tilewright

int main(int argc, char** argv) {
  try {
    return tilewright::run({argv + 1, argv + argc});
  } catch (...) {
    return tilewright::kCannotWork;
  }
}
