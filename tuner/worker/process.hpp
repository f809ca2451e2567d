#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "tuner/backend/descriptor.hpp"

namespace tilewright {

// Whether the open file is still the one with this name in the folder; AT_FDCWD: the name is a
// path.
bool is_file_at(int folder, const std::filesystem::path& name, const Descriptor& opened);

// How a child ended.
struct ExitStatus {
  int code = 0;                                                // exit status if `signal` is 0
  int signal = 0;                                              // the one that killed it
  enum class Cause { itself, stopped } cause = Cause::itself;  // stopped: stop() had to kill it
};
std::string to_text(const ExitStatus& status);  // "exit status 3", "signal 9 (Killed)"

// Whether somebody else killed it, with a signal that neither its own code nor stop() sends.
bool was_killed_from_outside(const ExitStatus& status);

// How a child is connected.
enum class Wiring {
  standard,  // pipes on standard input and output; it shares standard error, and has a group
  // Pipes on kEvaluatorInput and kEvaluatorOutput, nothing on standard input, and a third pipe for
  // what it writes to standard output and error. It is in the caller's group: what ends that ends
  // also what the child started.
  evaluator,
};
inline constexpr int kEvaluatorInput = 3;
inline constexpr int kEvaluatorOutput = 4;

struct ProcessOptions {
  std::filesystem::path program;
  std::vector<std::string> arguments;
  std::int64_t memory_limit_bytes = 0;  // of address space; 0: none. Sanitizer
                                        // builds ignore it
  Wiring wiring = Wiring::standard;
};

// A child process with pipes to this one (Wiring). Usually it has its
// own process group, so that Ctrl-C in the terminal does not reach it. It leaves no core file. The
// destructor kills it with everything that it started, and reaps it. It also dies with this
// process, however that ends, because the kernel kills a child when the thread that forked it ends.
// For that, each object keeps a thread.
class Process {
 public:
  // Throws MachineError if the program cannot be started.
  explicit Process(const ProcessOptions& options);
  Process(Process&&) noexcept;
  Process& operator=(Process&&) = delete;
  ~Process() { kill(); }

  int input() const { return to_child_.get(); }
  int output() const { return from_child_.get(); }
  int log() const { return log_.get(); }  // of an evaluator; else -1
  pid_t id() const { return pid_; }

  // Closes the child's input, waits up to `grace`, then kills it. Later calls return the default.
  ExitStatus stop(std::chrono::milliseconds grace) noexcept;
  ExitStatus kill() noexcept { return stop(std::chrono::milliseconds(0)); }

 private:
  pid_t pid_ = -1;
  Wiring wiring_ = Wiring::standard;
  Descriptor to_child_, from_child_, log_;
  std::jthread keeper_;  // forked the child; see above
};

// The folder of the running program, which `link` leads to. Throws MachineError if the link cannot
// be read: then nobody knows where the program is, and the current folder may be anybody's.
std::filesystem::path program_folder(const std::filesystem::path& link = "/proc/self/exe");

// The number of cores that this process may use, at least 1. The machine may have more.
int available_cores();

}  // namespace tilewright
