#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

namespace tilewright {

// What the process has used so far, with its children, running or waited for. Zero if it cannot be
// read.
std::chrono::milliseconds processor_time(pid_t process);

// What the limit of a step of a worker counts.
enum class TimeLimit { wall_time, processor_time };

// The end of a wait for a worker. Who waits looks again after until_look(). Of the time since the
// last look, at most two such intervals count, because this program was stopped or paused, or the
// machine is busy, if it was longer.
class Deadline {
 public:
  using Clock = std::chrono::steady_clock;
  using Milliseconds = std::chrono::milliseconds;

  // How many times the limit a wait may take if it is a limit of processor time.
  static constexpr int kTimesLimit = 10;

  // What is read; tests have clocks of their own.
  struct Clocks {
    std::function<Clock::time_point()> now = Clock::now;
    std::function<Milliseconds()> worked = {};  // processor time of the worker; none: not a limit
  };

  // The wait is over after the limit (zero: never). If `worked` is given, it goes on until the
  // worker has used the limit since now, or for kTimesLimit times the limit.
  explicit Deadline(Milliseconds limit) : Deadline(limit, Clocks{}) {}
  Deadline(Milliseconds limit, Clocks clocks);
  // A limit of the processor time of this process.
  static Deadline of_process(Milliseconds limit, pid_t process) {
    return {limit, {.worked = [process] { return processor_time(process); }}};
  }
  static Deadline of_child(Milliseconds limit, TimeLimit counts, pid_t process) {
    return counts == TimeLimit::processor_time ? of_process(limit, process) : Deadline(limit);
  }

  bool look();             // true: it is over
  int until_look() const;  // milliseconds for poll(); -1: for ever
  Milliseconds spent() const { return std::chrono::ceil<Milliseconds>(spent_); }
  // Whether the program did not run for a second or more between two looks.
  bool saw_stop() const { return saw_stop_; }
  std::string text() const;  // "1.5 s of processor time": the limit that was reached

 private:
  Milliseconds limit_;
  Clocks clocks_;
  Clock::time_point last_look_;
  Clock::duration spent_{0};
  Milliseconds worked_before_{0};
  bool saw_stop_ = false;
};

// Messages between a program and its workers: a length of 4 bytes, little-endian, its complement,
// by which other bytes are told from a message, then CBOR.

enum class ReadStatus { message, end_of_file, timed_out, malformed };

// Waits for the whole message. Sets `message` only if it returns ReadStatus::message.
ReadStatus read_message(int fd, nlohmann::json& message, Deadline& deadline);

// False if the other end is closed or does not read the message in time. Raises no SIGPIPE.
bool write_message(int fd, const nlohmann::json& message, Deadline& deadline);

// The bytes as they are. Returns like write_message().
bool write_bytes(int fd, std::span<const char> bytes, Deadline& deadline);

// Up to `limit`; zero: for ever.
ReadStatus read_message(int fd, nlohmann::json& message, std::chrono::milliseconds limit);
bool write_message(int fd, const nlohmann::json& message,
                   std::chrono::milliseconds limit = std::chrono::milliseconds(0));

}  // namespace tilewright
