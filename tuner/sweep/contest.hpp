// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tilewright/trial.hpp"

namespace tilewright {

struct ContestRules {
  int samples = 3;  // of each contestant in each round
  int rounds_before_drop = 3;
  int minimum_rounds = 6;  // the fewest from which an interval of 95 % can be told
  int maximum_rounds = 30;
  double drop_over = 1.01;   // surely this many times as long as the leader: measured no more
  double narrow = 0.004;     // as good as equal: the ratio's interval is no wider
  double time_limit_s = 10;  // no round is begun after it
  // A call of over long_us that takes this many times as long as the fastest of all groups has one
  // round, anchor or not: it would use up the time for a ratio that nobody asks for.
  double long_us = 20e3;
  double hopeless_over = 2;
  std::uint64_t seed = 1;  // of the orders
};

// Who gets into the final, and how it is held.
struct FinalRules {
  std::size_t most = 8;         // per implementation, besides its default
  std::size_t least = 3;        // as many are admitted however slow
  double admitted_over = 1.05;  // times its fastest
  ContestRules contest;
};

struct Contestant {
  // Groups have leaders of their own. An anchor is measured in every round (but see long_us).
  enum class Role { challenger, anchor };
  std::string group;
  Role role = Role::challenger;
};

// Who is measured next to whom, and when that is enough: rounds in random order, so that a drift
// of the machine meets all alike. Over when in each group every contestant is told apart from
// the leader, or cannot be by an interval that is narrow. Takes no time itself: the caller
// measures and tells.
class Contest {
 public:
  Contest(std::vector<Contestant> contestants, const ContestRules& rules);

  // Whom to measure now, in this order, after so many seconds in all; empty: it is over.
  std::vector<std::size_t> next_round(double spent_s);

  // This round's times of one of them. Throws std::logic_error unless there are rules.samples.
  void take(std::size_t contestant, const Timing& timing);
  // It failed and takes no further part.
  void withdraw(std::size_t contestant) { entries_.at(contestant).is_out = true; }

  // Of all its rounds. Requires at least one.
  Timing timing(std::size_t contestant) const;

  int rounds() const { return rounds_; }
  bool is_settled() const;

 private:
  struct Entry {
    Contestant contestant;
    Timing timing;  // of all its rounds
    bool is_out = false;
  };

  // The fastest of the group that is still in; null before the first round.
  const Entry* leader(const std::string& group) const;
  void drop_the_beaten();
  void drop_the_hopeless();

  ContestRules rules_;
  std::vector<Entry> entries_;
  std::mt19937_64 random_;
  int rounds_ = 0;
};

}  // namespace tilewright
