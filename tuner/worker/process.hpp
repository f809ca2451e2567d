// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
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
  int code = 0;    // exit status, if signal is 0
  int signal = 0;  // that killed it
};
std::string to_text(const ExitStatus& status);  // "exit status 3", "signal 9 (Killed)"

struct ProcessOptions {
  std::filesystem::path program;
  std::vector<std::string> arguments;
  std::int64_t memory_limit_bytes = 0;  // address space; 0: none
};

// A child with pipes on its standard input and output; standard error goes where ours goes.
// The child dies with this process, and is killed and reaped when the object goes.
class Process {
 public:
  // Throws MachineError if it cannot be started.
  explicit Process(const ProcessOptions& options);
  Process(Process&&) noexcept;
  Process& operator=(Process&&) noexcept;
  ~Process();

  int input() const { return to_child_.get(); }
  int output() const { return from_child_.get(); }
  pid_t id() const { return pid_; }

  // Closes its input, waits `grace`, then kills it.
  ExitStatus stop(std::chrono::milliseconds grace) noexcept;
  ExitStatus kill() noexcept { return stop(std::chrono::milliseconds(0)); }

 private:
  pid_t pid_ = -1;
  Descriptor to_child_, from_child_;
};

}  // namespace tilewright
