// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>

namespace tilewright {

// When a search has gone on long enough without finding anything better.
struct PlateauRule {
  std::size_t least = 200;      // trials before it can end a search; 0: it never does
  std::size_t patience = 150;   // trials without a gain
  double patience_share = 0.4;  // of all trials, where that is more
  double gain = 0.002;          // less than this share of the time is none
};

// Follows the trials of one search.
class Plateau {
 public:
  explicit Plateau(const PlateauRule& rule) : rule_(rule) {}

  // A trial's time; 0: it has none.
  void add(double time_us) {
    ++trials_;
    if (time_us <= 0 || time_us >= best_us_ * (1 - rule_.gain)) return;
    best_us_ = time_us;
    gained_at_ = trials_;
  }

  std::size_t trials_since_gain() const { return trials_ - gained_at_; }

  bool is_reached() const {
    if (rule_.least == 0 || trials_ < rule_.least) return false;
    const double share = rule_.patience_share * static_cast<double>(trials_);
    return static_cast<double>(trials_since_gain()) >=
           std::max(share, static_cast<double>(rule_.patience));
  }

 private:
  PlateauRule rule_;
  std::size_t trials_ = 0;
  std::size_t gained_at_ = 0;
  double best_us_ = std::numeric_limits<double>::infinity();  // of the last gain
};

}  // namespace tilewright
