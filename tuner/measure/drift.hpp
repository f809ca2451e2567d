#pragma once

#include <algorithm>

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
  int readings_ = 0;
  double first_us_ = 0;
  double newest_ = 1;
  double lowest_ = 1;
  double highest_ = 1;
};

}  // namespace tilewright
