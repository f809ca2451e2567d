#pragma once

#include <atomic>
#include <chrono>

#include "tools/input/worker_options.hpp"

namespace tilewright::tools {

// Set by the first SIGINT or SIGTERM while an InterruptGuard lives, and by its time.
const std::atomic<bool>& stop_requested();

// Set instead by the first SIGINT if there is an answer. stop_requested() follows after 10 s, which
// are for the final.
const std::atomic<bool>& search_end_requested();

// worker_options(), of which a device process ends the running trial at SIGQUIT (Ctrl-\ in a
// terminal) and SIGUSR1 while an InterruptGuard lives.
WorkerOptions workers_with_skips(const Measuring& measuring);

// While it lives, the first SIGINT or SIGTERM sets one of these; the second ends the program at
// once with status 130. What comes within 200 ms is the first again, because timeout(1) and others
// send a signal to a process and to its group. Signals that were ignored before stay ignored. One
// object at a time.
class InterruptGuard {
 public:
  InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  ~InterruptGuard();

  // From here on the first signal prints what is finished first.
  void trials_begin();
  // A sweep has measured a configuration, and has ended. Several may run at a time.
  void answer_begins();
  void answer_ends();
  // Sets stop_requested() after this time, without counting as a signal; at once if it is over.
  void stop_in(std::chrono::seconds time);
};

}  // namespace tilewright::tools
