// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
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

namespace tilewright {

// A thread of its own for the device, so that compilers, search and store go on while it works.
class DeviceLane {
 public:
  struct Item {
    std::size_t candidate = 0;
    Trial trial;
    KernelPlan kernel;
    double normal_us = 0;  // the trial's median as if taken at the start of the sweep; 0: none
  };

  // On that thread: `open` once, then `run` for each item in the order given; nothing is begun once
  // `stop` is set.
  DeviceLane(std::function<void()> open, std::function<void(Item&)> run,
             const std::atomic<bool>& stop);
  DeviceLane(const DeviceLane&) = delete;
  DeviceLane& operator=(const DeviceLane&) = delete;
  ~DeviceLane() { close(); }

  void submit(Item item);
  // Whether the device would have to wait if nothing were submitted soon.
  bool has_room() const;
  // Items submitted and not yet given out.
  std::size_t in_flight() const { return in_flight_; }

  // The next that was run; waits up to `limit`. Throws what `open` or `run` threw.
  std::optional<Item> next(std::chrono::milliseconds limit);

  // Waits for the running item and drops those behind it; what was run can still be taken.
  void close();

 private:
  void work(const std::stop_token& closed, const std::function<void()>& open,
            const std::function<void(Item&)>& run);

  const std::atomic<bool>& stop_;
  mutable std::mutex mutex_;  // of the queues and the failure
  std::condition_variable_any changed_;
  std::deque<Item> waiting_;
  std::deque<Item> done_;
  std::exception_ptr failure_;
  std::size_t in_flight_ = 0;  // the caller's own
  std::jthread thread_;        // last: it uses the rest
};

}  // namespace tilewright
