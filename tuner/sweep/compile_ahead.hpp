// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <optional>
#include <set>

#include "tuner/sweep/sweep.hpp"

namespace tilewright {

// Adds the seconds it lives to a counter.
class Stopwatch {
 public:
  explicit Stopwatch(double& seconds)
      : seconds_(seconds), start_(std::chrono::steady_clock::now()) {}
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;
  ~Stopwatch() {
    const std::chrono::duration<double> lived = std::chrono::steady_clock::now() - start_;
    seconds_ += lived.count();
  }

 private:
  double& seconds_;
  std::chrono::steady_clock::time_point start_;
};

// A CompileQueue from which results can also be taken by ticket; counts the time it makes its
// caller wait.
class CompileAhead {
 public:
  explicit CompileAhead(CompileQueue& queue) : queue_(queue) {}

  void submit(std::size_t ticket, CompileRequest request);
  std::size_t in_flight() const { return submitted_.size(); }
  bool is_submitted(std::size_t ticket) const { return submitted_.contains(ticket); }

  // How many to keep submitted so that no compiler idles while the device works.
  std::size_t depth() const { return 2 * static_cast<std::size_t>(queue_.processes()) + 4; }

  // The next result in the order they finish; nothing if none came for a while.
  std::optional<CompileQueue::Done> next();
  // This one's result, however long it takes; others wait for next().
  CompileResult wait_for(std::size_t ticket);
  // Nothing once `stop` is set.
  std::optional<CompileResult> wait_for(std::size_t ticket, const std::atomic<bool>& stop);
  // Lets go of everything submitted without waiting for it. Its tickets must not be submitted
  // again.
  void forget();

  double waited_s() const { return waited_s_; }
  const CompileCounts& counts() const { return counts_; }

 private:
  std::optional<CompileQueue::Done> take();

  CompileQueue& queue_;
  std::deque<CompileQueue::Done> early_;
  std::set<std::size_t> submitted_;  // and not yet given out
  double waited_s_ = 0;
  CompileCounts counts_;
};

}  // namespace tilewright
