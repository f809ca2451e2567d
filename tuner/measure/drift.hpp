#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "tilewright/statistics.hpp"

namespace tilewright {

// How a machine's speed changes during a sweep, seen on its anchor.
class Drift {
 public:
  // Takes a median of the anchor. The first call sets the base.
  void note(double median_us) {
    if (readings_++ == 0) first_us_ = median_us;
    newest_ = median_us / first_us_;
    lowest_ = std::min(lowest_, newest_);
    highest_ = std::max(highest_, newest_);
  }

  // Takes a median of the anchor that may be disturbed; nothing if the anchor failed. One that
  // differs from the newest by more than 2 % waits for two more, and the median of the three
  // counts. If only the base is known then, that was disturbed, and the median takes its place.
  // Returns false while one waits; an anchor that failed ends that.
  bool note_if_sure(std::optional<double> median_us) {
    if (median_us && (!doubted_us_.empty() || is_doubtful(*median_us))) {
      doubted_us_.push_back(*median_us);
      if (doubted_us_.size() < 3) return false;
      median_us = median(doubted_us_);
      if (readings_ == 1) first_us_ = *median_us;
    }
    doubted_us_.clear();
    if (median_us) note(*median_us);
    return true;
  }

  // Another anchor takes over: this median stands for the newest reading.
  void hand_over(double median_us) { first_us_ = median_us / newest_; }

  // The anchor's time at the start of the sweep; 0: not known.
  double base_us() const { return first_us_; }
  int readings() const { return readings_; }
  // The newest reading over the first; 1 if there is none. A time divided by it is corrected to the
  // start of the sweep.
  double factor() const { return newest_; }
  double lowest() const { return lowest_; }
  double highest() const { return highest_; }

 private:
  bool is_doubtful(double median_us) const {
    return std::abs(median_us / (first_us_ * newest_) - 1) > 0.02;
  }

  int readings_ = 0;
  double first_us_ = 0;
  double newest_ = 1;
  double lowest_ = 1;
  double highest_ = 1;
  std::vector<double> doubted_us_;
};

}  // namespace tilewright
