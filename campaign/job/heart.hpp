#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <thread>

namespace tilewright {

// Calls `beat` once every `period`, on a thread of its own, while it lives. A beat that throws
// MachineError is one that is missed.
class Heart {
 public:
  Heart(std::function<void()> beat, std::chrono::milliseconds period);

 private:
  void run(const std::stop_token& stop) const;

  std::function<void()> beat_;
  std::chrono::milliseconds period_;
  std::jthread thread_;  // last, because it uses the others
};

// How often a member beats whose lease has so many seconds.
std::chrono::milliseconds beat_period(std::int64_t lease_s);

}  // namespace tilewright
