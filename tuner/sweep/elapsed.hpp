#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "tilewright/trial.hpp"
#include "tuner/sweep/timeline.hpp"

namespace tilewright {

// How long a sweep has run. The time between an interrupted run and the next does not count.
class Elapsed {
 public:
  // `done`: the trials of earlier runs. If one of them does not say when it ended, nobody knows how
  // long those took.
  explicit Elapsed(const std::vector<Trial>& done) {
    for (const Trial& trial : done)
      before_s_ = before_s_ && trial.ended_s ? std::optional(std::max(*before_s_, *trial.ended_s))
                                             : std::nullopt;
  }

  Moment start() const { return start_; }

  // The clock does not reach much farther than a century.
  Moment after(double seconds) const {
    const std::chrono::duration<double> wanted(std::min(seconds, 3e9));
    return start_ + std::chrono::duration_cast<Moment::duration>(wanted);
  }

  double this_run_s() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

  // Of all runs.
  std::optional<double> total_s() const {
    return before_s_ ? std::optional(*before_s_ + this_run_s()) : std::nullopt;
  }

 private:
  Moment start_ = std::chrono::steady_clock::now();
  std::optional<double> before_s_ = 0;
};

}  // namespace tilewright
