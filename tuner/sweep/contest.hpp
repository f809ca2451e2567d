#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tilewright/statistics.hpp"
#include "tilewright/trial.hpp"

namespace tilewright {

struct ContestRules {
  int samples = 3;  // of each contestant in each round
  int rounds_before_drop = 3;
  int minimum_rounds = 6;  // fewer give no 95 % interval
  int maximum_rounds = 30;
  double drop_over = 1.01;  // significantly over this ratio to the leader: not measured again
  double narrow = 0.004;    // a ratio with an interval this narrow counts as equal
  double time_limit_s = 8;  // no round begins after this time
  // A contestant takes part in rounds_before_drop rounds only, even as an anchor, if its call takes
  // over hopeless_over times the fastest of all groups (by mean_time_us()), and in one only if it
  // also takes over long_us. It would use up the time otherwise.
  double long_us = 20e3;
  double hopeless_over = 2;
  std::uint64_t seed = 1;  // of the random orders
  // What a contestant's times stand for, if the times do not decide. A trial that it leaves without
  // times is withdrawn, and nobody is hopeless.
  std::function<Trial(Trial)> judged = {};
};

// Which configurations enter the final, and how they are measured.
struct FinalRules {
  // Per implementation, besides its default. One of an implementation whose best takes over
  // contest.hopeless_over times the fastest.
  std::size_t most = 8;
  // In place of `most` where the clock is lowered: short times do not show who needs less power.
  std::size_t most_under_load = 12;
  std::size_t least = 3;        // admitted however slow they are
  double admitted_over = 1.05;  // times the implementation's best
  // Unless something holds the clock down (Load), no round begins after this time.
  double usual_limit_s = 5;
  // Where the clock is lowered also so many, per implementation, of those that are admitted and
  // the fastest with one of their settings.
  std::size_t most_for_settings = 16;
  // Of a robust sweep: those up to this ratio over the fastest so far are also screened warm.
  double considered_over = 1.5;
  ContestRules contest;
};

struct Contestant {
  // Each group has its own leader. An anchor is measured in every round (but see hopeless_over).
  enum class Role { challenger, anchor };
  std::string group;
  Role role = Role::challenger;
};

// Decides which finalists to measure in each round, and when to stop. Each round has a random
// order, so that drift affects all alike. With times under two cache policies, a contestant counts
// by its worse ratio to its group's fastest, and the leader has the least. The contest ends when
// every contestant differs significantly from its group's leader, or ties with it by a narrow
// interval. The caller measures.
class Contest {
 public:
  Contest(std::vector<Contestant> contestants, const ContestRules& rules);

  // The contestants to measure now, in order, after `spent_s` so far. Empty: the contest is over.
  std::vector<std::size_t> next_round(double spent_s);

  // A contestant's times in this round. Throws std::logic_error unless there are rules.samples.
  void take(std::size_t contestant, const Trial& measured);
  // The contestant failed and takes no further part.
  void withdraw(std::size_t contestant);

  // Sets the trial's times to those over all rounds. Requires at least one.
  void give(std::size_t contestant, Trial& trial) const;

  int rounds() const { return rounds_; }
  bool is_settled() const;

 private:
  struct Entry {
    Contestant contestant;
    std::optional<Timing> timing;  // over all its rounds
    std::optional<Timing> warm_timing;
    std::optional<Trial> judged;  // by what its times stand for; none: by its times
    bool is_out = false;

    Times times() const;
  };
  // Where a group stands.
  struct Lead {
    Times fastest;                  // of each policy, dropped ones too; none before the first round
    const Entry* leader = nullptr;  // null before the first round
    double ratio = 1;               // the leader's worse ratio to the fastest
  };

  Lead lead(const std::string& group) const;
  void drop_the_beaten();
  void drop_the_hopeless();

  ContestRules rules_;
  std::vector<Entry> entries_;
  std::mt19937_64 random_;
  int rounds_ = 0;
};

}  // namespace tilewright
