// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace tilewright {

// A file descriptor that closes itself.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&& other) noexcept;
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor();
  int get() const { return fd_; }
  void close() noexcept;

 private:
  int fd_ = -1;
};

// How a child ended.
struct ExitStatus {
  int code = 0;                                                // exit status, if signal is 0
  int signal = 0;                                              // that killed it
  enum class Cause { itself, stopped } cause = Cause::itself;  // stopped: stop() had to kill it
};
std::string to_text(const ExitStatus& status);  // "exit status 3", "signal 9 (Killed)"

// Whether somebody else killed it: a signal that neither code in it raises nor stop() sent.
bool was_killed_from_outside(const ExitStatus& status);

struct ProcessOptions {
  std::filesystem::path program;
  std::vector<std::string> arguments;
  std::int64_t memory_limit_bytes = 0;  // address space; 0: none. Sanitizer builds
                                        // need all of it and ignore this
};

// A child in a process group of its own (a Ctrl-C in the terminal does not reach it), with pipes
// on its standard input and output; standard error goes where ours goes. It leaves no core file.
// It is killed, with whatever it started, and reaped when the object goes. It also dies with
// this process, whichever way that ends: the kernel kills a child when the thread that forked it
// ends, so each object keeps a thread of its own for that.
class Process {
 public:
  // Throws MachineError if it cannot be started, a program that is not there included.
  explicit Process(const ProcessOptions& options);
  Process(Process&&) noexcept;
  Process& operator=(Process&&) = delete;
  ~Process();

  int input() const { return to_child_.get(); }
  int output() const { return from_child_.get(); }
  pid_t id() const { return pid_; }

  // Closes its input, waits `grace`, then kills it. Once; later calls return the default.
  ExitStatus stop(std::chrono::milliseconds grace) noexcept;
  ExitStatus kill() noexcept { return stop(std::chrono::milliseconds(0)); }

 private:
  pid_t pid_ = -1;
  Descriptor to_child_, from_child_;
  std::jthread keeper_;  // forked the child; see above
};

// How many threads of this process can run at once: the cores it may use, which can be fewer than
// the machine has. At least 1.
int available_cores();

}  // namespace tilewright
