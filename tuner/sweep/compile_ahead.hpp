#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <deque>
#include <optional>
#include <set>

#include "tuner/backend/compiler.hpp"
#include "tuner/sweep/summary.hpp"
#include "tuner/sweep/timeline.hpp"

namespace tilewright {

// A CompileQueue whose results can also be taken by ticket. It records when its processes worked on
// the results that they gave.
class CompileAhead {
 public:
  explicit CompileAhead(CompileQueue& queue) : queue_(queue) {}

  // What needs no compiler is done at once.
  void submit(std::size_t ticket, CompileRequest request);
  std::size_t in_flight() const { return submitted_.size(); }
  bool is_submitted(std::size_t ticket) const { return submitted_.contains(ticket); }

  int processes() const { return queue_.processes(); }
  // How many compiles to keep submitted so that no compiler idles while the device works.
  std::size_t depth() const { return 2 * static_cast<std::size_t>(processes()) + 4; }

  // The next result, in the order in which they finish. Waits up to `limit`.
  std::optional<CompileQueue::Done> next(std::chrono::milliseconds limit);
  // Waits for this ticket's result; next() returns the others. Nothing once `stop` is set.
  std::optional<CompileResult> wait_for(std::size_t ticket, const std::atomic<bool>& stop);
  // Drops everything that was submitted, without waiting for it.
  void forget();

  const CompileCounts& counts() const { return counts_; }
  const Timeline& timeline() const { return timeline_; }

 private:
  std::optional<CompileQueue::Done> take(std::chrono::milliseconds limit);

  CompileQueue& queue_;
  std::deque<CompileQueue::Done> early_;
  std::set<std::size_t> submitted_;  // and not returned yet
  CompileCounts counts_;
  Timeline timeline_;
};

}  // namespace tilewright
