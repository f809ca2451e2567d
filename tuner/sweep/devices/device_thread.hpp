#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "tilewright/trial.hpp"
#include "tuner/backend/evaluator.hpp"
#include "tuner/sweep/timeline.hpp"

namespace tilewright {

// A thread that drives the device, so that compilers, search and store run in parallel to it.
class DeviceThread {
 public:
  struct Item {
    std::size_t candidate = 0;
    Trial trial;
    KernelPlan kernel;
    double normal_us = 0;  // median, corrected to the start of the sweep; 0: none
  };

  // The thread calls `open` once, then `run` for each item in order, until `stop` is set or, after
  // the first item, `deadline` has passed.
  DeviceThread(std::function<void()> open, std::function<void(Item&)> run,
               const std::atomic<bool>& stop, Moment deadline = Moment::max());
  DeviceThread(const DeviceThread&) = delete;
  DeviceThread& operator=(const DeviceThread&) = delete;
  ~DeviceThread() { close(); }

  void submit(Item item);
  // Whether the device would soon be idle if nothing were submitted.
  bool has_room() const;
  // Items submitted and not yet returned by next().
  std::size_t in_flight() const { return in_flight_; }

  // The next item that was run. Waits up to `limit`. Throws what `open` or `run` threw.
  std::optional<Item> next(std::chrono::milliseconds limit);

  // Waits for the running item and drops those behind it. next() still returns what was run.
  void close();

  // After next() has thrown: the items that were not run, with the one whose run threw.
  std::deque<Item> take_back();

 private:
  void work(const std::stop_token& closed, const std::function<void()>& open,
            const std::function<void(Item&)>& run);
  void run_one(Item item, const std::function<void(Item&)>& run);

  const std::atomic<bool>& stop_;
  const Moment deadline_;
  mutable std::mutex mutex_;  // guards the queues and the failure
  std::condition_variable_any changed_;
  std::deque<Item> waiting_;
  std::deque<Item> done_;
  std::exception_ptr failure_;
  std::size_t in_flight_ = 0;  // used by the caller's thread only
  std::jthread thread_;        // last, because it uses the others
};

}  // namespace tilewright
