#include "tuner/backend/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <vector>

namespace tilewright {

void parallel_ranges(std::int64_t count, std::int64_t grain,
                     const std::function<void(std::int64_t first, std::int64_t last)>& work,
                     std::int64_t threads) {
  if (count <= 0) return;
  grain = std::max<std::int64_t>(grain, 1);
  const std::int64_t ranges = (count - 1) / grain + 1;
  std::atomic<std::int64_t> next = 0;
  std::mutex mutex;
  std::exception_ptr failure;

  const auto run = [&] {
    try {
      for (std::int64_t range = next++; range < ranges; range = next++)
        work(range * grain, std::min(count, (range + 1) * grain));
    } catch (...) {
      next = ranges;
      const std::lock_guard<std::mutex> lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  };

  {
    if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
    std::vector<std::jthread> helpers;
    try {
      for (std::int64_t i = 1; i < std::min(threads, ranges); ++i) helpers.emplace_back(run);
    } catch (const std::system_error&) {  // those that there are do it all
    }
    run();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace tilewright
