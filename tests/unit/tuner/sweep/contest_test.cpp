#include "tuner/sweep/contest.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include "tilewright/statistics.hpp"

namespace tilewright {
namespace {

using Role = Contestant::Role;

// Holds a contest against a fake clock: time_us(contestant, round, sample).
using Clock = std::function<double(std::size_t, int, int)>;

Trial with_times(Timing timing, std::optional<Timing> warm = {}) {
  Trial trial;
  trial.timing = std::move(timing);
  trial.warm_timing = std::move(warm);
  return trial;
}

Timing timing_of(const Contest& contest, std::size_t contestant) {
  Trial trial;
  contest.give(contestant, trial);
  return trial.timing.value();
}

struct Course {
  std::vector<std::vector<std::size_t>> rounds;
  int rounds_of(std::size_t contestant) const {
    return static_cast<int>(std::ranges::count_if(rounds, [&](const auto& round) {
      return std::ranges::find(round, contestant) != round.end();
    }));
  }
};

Course hold(Contest& contest, const ContestRules& rules, const Clock& time_us,
            double seconds_a_round = 0) {
  Course course;
  for (;;) {
    const auto round =
        contest.next_round(seconds_a_round * static_cast<double>(course.rounds.size()));
    if (round.empty()) return course;
    for (const std::size_t i : round) {
      std::vector<double> samples;
      for (int k = 0; k < rules.samples; ++k)
        samples.push_back(time_us(i, static_cast<int>(course.rounds.size()), k));
      contest.take(i, with_times(summarise(samples, 1, 0)));
    }
    course.rounds.push_back(round);
  }
}

Contestant challenger(const char* group = "op/a") {
  return {group, Role::challenger};
}

TEST(Contest, EndsWhenEveryoneIsToldApart) {
  const ContestRules rules;
  Contest contest({challenger(), challenger(), {"op/a", Role::anchor}}, rules);
  const Course course =
      hold(contest, rules, [](std::size_t i, int, int) { return 10.0 + static_cast<double>(i); });
  EXPECT_EQ(course.rounds.size(), static_cast<std::size_t>(rules.minimum_rounds));
  EXPECT_TRUE(contest.is_settled());
  EXPECT_EQ(course.rounds_of(0), rules.minimum_rounds);
  EXPECT_EQ(course.rounds_of(1), rules.rounds_before_drop) << "it is 10 % slower";
  EXPECT_EQ(course.rounds_of(2), rules.minimum_rounds) << "an anchor stays";
  EXPECT_EQ(timing_of(contest, 1).rounds, rules.rounds_before_drop);
  EXPECT_DOUBLE_EQ(timing_of(contest, 0).median_us, 10);
}

TEST(Contest, EqualOnesEndAsSoonAsTheIntervalIsNarrow) {
  const ContestRules rules;
  Contest contest({challenger(), challenger()}, rules);
  const Course course = hold(contest, rules, [](std::size_t, int, int) { return 10.0; });
  EXPECT_EQ(course.rounds.size(), static_cast<std::size_t>(rules.minimum_rounds));
  EXPECT_TRUE(contest.is_settled());
}

TEST(Contest, NoiseIsMeasuredUntilTheRoundsAreUsedUp) {
  const ContestRules rules;
  Contest contest({challenger(), challenger()}, rules);
  // By turns each is 5 % slower: told apart never, narrow never.
  const Course course = hold(contest, rules, [](std::size_t i, int round, int) {
    return static_cast<int>(i) == round % 2 ? 10.5 : 10.0;
  });
  EXPECT_EQ(course.rounds.size(), static_cast<std::size_t>(rules.maximum_rounds));
  EXPECT_FALSE(contest.is_settled());
}

TEST(Contest, ADriftThatMeetsAllAlikeChangesNothing) {
  const ContestRules rules;
  Contest contest({challenger(), challenger()}, rules);
  // 3 % slower from round to round; one is 0.5 % slower than the other throughout.
  const Course course = hold(contest, rules, [](std::size_t i, int round, int) {
    return (10.0 + 0.3 * round) * (i == 0 ? 1.005 : 1.0);
  });
  EXPECT_EQ(course.rounds.size(), static_cast<std::size_t>(rules.minimum_rounds));
  EXPECT_EQ(ratio_of(timing_of(contest, 0), timing_of(contest, 1)).value, 1.005);
}

TEST(Contest, NoRoundBeginsAfterTheTimeIsUp) {
  ContestRules rules;
  rules.time_limit_s = 10;
  Contest contest({challenger(), challenger()}, rules);
  const Course course = hold(
      contest, rules, [](std::size_t, int, int) { return 1.0; }, 4);
  EXPECT_EQ(course.rounds.size(), 3u);
}

TEST(Contest, OneRoundAtLeastHoweverShortTheTime) {
  ContestRules rules;
  rules.time_limit_s = 0;
  Contest contest({challenger()}, rules);
  EXPECT_EQ(hold(contest, rules, [](std::size_t, int, int) { return 1.0; }).rounds.size(), 1u);
}

TEST(Contest, RoundsAreInRandomOrdersThatTheSeedDecides) {
  ContestRules rules;
  const std::vector<Contestant> eight(8, challenger());
  const auto orders = [&](std::uint64_t seed) {
    rules.seed = seed;
    Contest contest(eight, rules);
    return hold(contest, rules, [](std::size_t, int, int) { return 1.0; }).rounds;
  };
  const auto first = orders(1);
  EXPECT_GT(std::set(first.begin(), first.end()).size(), 1u);
  EXPECT_EQ(orders(1), first);
  EXPECT_NE(orders(2), first);
}

TEST(Contest, EachGroupHasItsOwnLeader) {
  const ContestRules rules;
  Contest contest({challenger("op/a"), challenger("op/b")}, rules);
  const Course course =
      hold(contest, rules, [](std::size_t i, int, int) { return i == 0 ? 1.0 : 1.9; });
  EXPECT_EQ(course.rounds_of(1), rules.minimum_rounds) << "slower, but of another group";
}

TEST(Contest, WhoTakesTwiceAsLongAsTheFastestOfAllHasThreeRounds) {
  const ContestRules rules;
  Contest contest({challenger("op/a"), {"op/a", Role::anchor}, challenger("op/b")}, rules);
  const std::vector<double> times_us = {10, 21, 25};
  const Course course = hold(contest, rules, [&](std::size_t i, int, int) { return times_us[i]; });
  EXPECT_EQ(course.rounds_of(0), rules.minimum_rounds);
  EXPECT_EQ(course.rounds_of(1), rules.rounds_before_drop) << "a default";
  EXPECT_EQ(course.rounds_of(2), rules.rounds_before_drop) << "the best of its group";
  EXPECT_TRUE(contest.is_settled());
  EXPECT_DOUBLE_EQ(timing_of(contest, 2).median_us, 25) << "its times count";
}

TEST(Contest, WhoSeemsFarBehindInOneRoundStays) {
  const ContestRules rules;
  Contest contest({challenger("op/a"), challenger("op/b")}, rules);
  const Course course = hold(contest, rules, [](std::size_t i, int round, int) {
    return i == 1 && round == 0 ? 30.0 : 10.0;
  });
  EXPECT_EQ(course.rounds_of(1), static_cast<int>(course.rounds.size()));
}

TEST(Contest, LongCallsThatAreFarBehindHaveOneRound) {
  const ContestRules rules;
  Contest contest({{"op/a", Role::anchor}, challenger("op/b"), {"op/b", Role::anchor}}, rules);
  const std::vector<double> times_us = {2.5 * rules.long_us, rules.long_us, 1.5 * rules.long_us};
  const Course course = hold(contest, rules, [&](std::size_t i, int, int) { return times_us[i]; });
  EXPECT_EQ(course.rounds_of(0), 1) << "2.5 times the fastest";
  EXPECT_EQ(course.rounds_of(1), rules.minimum_rounds);
  EXPECT_EQ(course.rounds_of(2), rules.minimum_rounds) << "a default, not twice the fastest";
}

TEST(Contest, WhoWithdrawsIsMeasuredNoMore) {
  const ContestRules rules;
  Contest contest({challenger(), challenger()}, rules);
  ASSERT_EQ(contest.next_round(0).size(), 2u);
  contest.withdraw(1);
  EXPECT_EQ(contest.next_round(0), std::vector<std::size_t>{0});
  contest.withdraw(0);
  EXPECT_TRUE(contest.next_round(0).empty());
}

TEST(Contest, WithTwoPoliciesTheLeastWorstRatioLeads) {
  const ContestRules rules;
  // Cold and warm. The first two are the fastest of one policy each, the third of none.
  const std::vector<std::pair<double, double>> times_us = {
      {10, 13}, {13, 10}, {11, 11}, {11.5, 10.8}};
  Contest contest(std::vector<Contestant>(times_us.size(), challenger()), rules);
  std::vector<int> rounds(times_us.size());
  for (auto round = contest.next_round(0); !round.empty(); round = contest.next_round(0))
    for (const std::size_t i : round) {
      ++rounds[i];
      const auto [cold, warm] = times_us[i];
      contest.take(
          i, with_times(summarise({cold, cold, cold}, 1, 0), summarise({warm, warm, warm}, 1, 0)));
    }
  EXPECT_TRUE(contest.is_settled());
  // Who is beaten leaves after three rounds, but still tells how fast the others might be: the
  // ratios of the last two are 1.1 and 1.15, and would be 1.02 and 1.05 without the first two.
  EXPECT_EQ(rounds, (std::vector{3, 3, rules.minimum_rounds, 3}));
}

TEST(Contest, WithTwoPoliciesWhoIsHopelessUnderOneOnlyStays) {
  const ContestRules rules;
  Contest contest({challenger("op/a"), challenger("op/b")}, rules);
  std::vector<int> rounds(2);
  for (auto round = contest.next_round(0); !round.empty(); round = contest.next_round(0))
    for (const std::size_t i : round) {
      ++rounds[i];
      const double cold = i == 0 ? 10 : 21, warm = i == 0 ? 10 : 4;
      contest.take(
          i, with_times(summarise({cold, cold, cold}, 1, 0), summarise({warm, warm, warm}, 1, 0)));
    }
  EXPECT_EQ(rounds, (std::vector{rules.minimum_rounds, rules.minimum_rounds}));
}

TEST(Contest, KeepsWhatTheDeviceDidInAllRounds) {
  Contest contest({challenger()}, ContestRules{});
  const auto take = [&](double power_w, double temperature_c, const std::string& reasons,
                        double sm_mhz) {
    Timing timing = summarise({1, 1, 1}, 1, sm_mhz);
    timing.power_w = power_w;
    timing.temperature_c = temperature_c;
    timing.throttle_reasons = reasons;
    contest.take(0, with_times(timing));
  };
  take(600, 60, "", 1900);
  take(690, 64, "power cap", 1500);
  take(660, 62, "power cap,thermal", 1400);
  const Timing all = timing_of(contest, 0);
  EXPECT_EQ(all.rounds, 3);
  EXPECT_NEAR(all.sm_mhz, 1600, 1e-9);
  EXPECT_NEAR(all.power_w.value(), 650, 1e-9);
  EXPECT_EQ(all.temperature_c, 64);
  EXPECT_EQ(all.throttle_reasons, "power cap,thermal");
  take(660, 62, "", 0);
  EXPECT_EQ(timing_of(contest, 0).sm_mhz, 0) << "that of one round is not known";
}

TEST(Contest, RefusesAnotherNumberOfSamples) {
  const ContestRules rules;
  Contest contest({challenger()}, rules);
  contest.next_round(0);
  EXPECT_THROW(contest.take(0, with_times(summarise({1, 2}, 1, 0))), std::logic_error);
}

// The second takes longer, but counts by a tenth of its time.
TEST(Contest, DecidesByWhatTheTimesStandForAndKeepsTheTimes) {
  ContestRules rules;
  rules.judged = [](Trial trial) {
    const double factor = trial.implementation == "op/b" ? 0.1 : 1;
    for (double& us : trial.timing->samples_us) us *= factor;
    trial.timing = summarise(trial.timing->samples_us, 1, 0, trial.timing->rounds);
    return trial;
  };
  Contest contest({challenger(), challenger(), challenger()}, rules);
  int rounds = 0;
  for (auto round = contest.next_round(0); !round.empty(); round = contest.next_round(0), ++rounds)
    for (const std::size_t i : round) {
      Trial trial = with_times(summarise(std::vector<double>(3, i == 1 ? 50e3 : 20e3), 1, 0));
      if (i == 1) trial.implementation = "op/b";
      contest.take(i, trial);
    }
  EXPECT_EQ(timing_of(contest, 0).rounds, rules.rounds_before_drop);
  EXPECT_EQ(timing_of(contest, 1).rounds, rounds);
  EXPECT_GT(rounds, rules.rounds_before_drop);
  EXPECT_EQ(timing_of(contest, 1).median_us, 50e3);
}

}  // namespace
}  // namespace tilewright
