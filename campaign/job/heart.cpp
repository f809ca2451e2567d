#include "campaign/job/heart.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "tilewright/error.hpp"

namespace tilewright {

Heart::Heart(std::function<void()> beat, std::chrono::milliseconds period)
    : beat_(std::move(beat)),
      period_(period),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

void Heart::run(const std::stop_token& stop) const {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  while (!never.wait_for(lock, stop, period_, [&] { return stop.stop_requested(); })) {
    try {
      beat_();
    } catch (const MachineError&) {
      // The next one may succeed. If none does, another member takes the unit.
    }
  }
}

std::chrono::milliseconds beat_period(std::int64_t lease_s) {
  constexpr std::int64_t kBeatsInALease = 10;
  constexpr std::chrono::milliseconds kLongest{10'000};
  return std::min(kLongest, std::chrono::milliseconds(1000 * lease_s / kBeatsInALease));
}

}  // namespace tilewright
