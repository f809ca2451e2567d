#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>

namespace tilewright {

// When to end a search that no longer finds anything better. The number of trials decides, or the
// time if trials take long.
struct PlateauRule {
  std::size_t least = 200;       // trials before trials can end a search; 0: never
  std::size_t patience = 150;    // trials without a gain
  double patience_share = 0.4;   // of all trials or all time, if that is more
  double gain = 0.002;           // a smaller relative gain counts as none
  std::size_t least_slow = 100;  // trials before time can end a search
  double least_s = 9;            // and seconds before time can end it
  double patience_s = 5;         // seconds without a gain
  double most_s = 12;            // seconds, even with gains, after least_slow trials
  double longest_s = 15;         // and after half of them
};

// Follows the trials of one search.
class Plateau {
 public:
  explicit Plateau(const PlateauRule& rule) : rule_(rule) {}

  // `time_us` is 0 for a trial without a time. `spent_s` is the search's time until its outcome.
  void add(double time_us, double spent_s = 0) {
    ++trials_;
    spent_s_ = spent_s;
    if (time_us <= 0 || time_us >= best_us_ * (1 - rule_.gain)) return;
    best_us_ = time_us;
    gained_at_ = trials_;
    gained_at_s_ = spent_s;
  }

  // Whether the search has reached most_s or longest_s.
  bool is_over() const {
    if (rule_.least == 0 || trials_ < rule_.least_slow / 2) return false;
    return spent_s_ >= (trials_ < rule_.least_slow ? rule_.longest_s : rule_.most_s);
  }

  bool is_reached() const { return rule_.least > 0 && (has_enough_trials() || has_enough_time()); }

 private:
  bool has_enough_trials() const {
    const double share = rule_.patience_share * static_cast<double>(trials_);
    return trials_ >= rule_.least && static_cast<double>(trials_ - gained_at_) >=
                                         std::max(share, static_cast<double>(rule_.patience));
  }
  bool has_enough_time() const {
    return trials_ >= rule_.least_slow && spent_s_ >= rule_.least_s &&
           spent_s_ - gained_at_s_ >= std::max(rule_.patience_share * spent_s_, rule_.patience_s);
  }

  PlateauRule rule_;
  std::size_t trials_ = 0;
  std::size_t gained_at_ = 0;
  double spent_s_ = 0;
  double gained_at_s_ = 0;
  double best_us_ = std::numeric_limits<double>::infinity();  // of the last gain
};

}  // namespace tilewright
