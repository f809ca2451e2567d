#pragma once

#include <atomic>
#include <chrono>

namespace tilewright::tools {

// Set by the first SIGINT or SIGTERM while an InterruptGuard lives, and by its time.
const std::atomic<bool>& stop_requested();

// While it lives, the first SIGINT or SIGTERM sets stop_requested(); the second ends the program at
// once with status 130. One object at a time.
class InterruptGuard {
 public:
  InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  ~InterruptGuard();

  // From here on the first signal prints that the running trial is finished first.
  void trials_begin();
  // Sets stop_requested() after this time, without counting as a signal; at once if it is over.
  void stop_in(std::chrono::seconds time);
};

}  // namespace tilewright::tools
