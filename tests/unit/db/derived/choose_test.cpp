#include "db/derived/choose.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/db/samples.hpp"
#include "tilewright/statistics.hpp"

namespace tilewright {
namespace {

using test::failed;
using test::measured;
using test::tile;

// The chosen configuration's TILE_WIDTH; 0 if there is none.
std::int64_t chosen(const std::vector<Trial>& trials, std::int64_t default_width = 99) {
  const auto winner = choose(trials, tile(default_width));
  if (!winner) return 0;
  return std::get<std::int64_t>(trials[winner->winner].configuration.values.at("TILE_WIDTH"));
}

Trial with_resources(Trial trial, int registers, std::int64_t shared_bytes) {
  trial.resources->registers = registers;
  trial.resources->shared_bytes = shared_bytes;
  return trial;
}

TEST(Choose, NothingWithoutAMeasurement) {
  EXPECT_FALSE(choose({}, tile(1)));
  EXPECT_FALSE(choose({failed(1, Outcome::pruned), failed(2, Outcome::duplicate)}, tile(1)));
}

TEST(Choose, LeastMedianWinsAndTheRestIsCounted) {
  const std::vector<Trial> trials = {measured(8, 30), failed(4, Outcome::faulted), measured(16, 10),
                                     measured(32, 20)};
  const auto winner = choose(trials, tile(8));
  ASSERT_TRUE(winner);
  EXPECT_EQ(winner->winner, 2U);
  EXPECT_EQ(winner->runner_up, 3U);
  EXPECT_EQ(winner->default_trial, 0U);
  EXPECT_EQ(winner->measured, 3U);
  EXPECT_FALSE(winner->tie);
}

Trial cold_and_warm(std::int64_t width, double cold_us, double warm_us) {
  Trial trial = measured(width, cold_us, Stage::final);
  trial.warm_timing = measured(width, warm_us).timing;
  return trial;
}

TEST(Choose, OfTwoPoliciesTheWorseRatioCounts) {
  // The worse ratios to 10 and 10: 1.3, 1.3, 1.16, 1.2. The third has not the least product.
  const std::vector<Trial> trials = {cold_and_warm(8, 10, 13), cold_and_warm(16, 13, 10),
                                     cold_and_warm(32, 11.6, 11.6), cold_and_warm(64, 10.5, 12)};
  const auto winner = choose(trials, tile(8));
  ASSERT_TRUE(winner);
  EXPECT_EQ(winner->winner, 2U);
  EXPECT_FALSE(winner->tie);
  EXPECT_EQ(chosen({trials[0], trials[1]}, 16), 16) << "they tie, and the default wins";
  EXPECT_EQ(chosen({trials[0], trials[2]}), 8) << "1.12 warm against 1.16 cold";
}

TEST(Choose, FinalsOutrankTheScreening) {
  const std::vector<Trial> trials = {measured(8, 5), measured(16, 9),
                                     measured(16, 10, Stage::final),
                                     measured(32, 11, Stage::final)};
  const auto winner = choose(trials, tile(8));
  ASSERT_TRUE(winner);
  EXPECT_EQ(winner->winner, 2U);
  EXPECT_EQ(winner->runner_up, 3U);
  EXPECT_EQ(winner->default_trial, 0U);  // screened only
  EXPECT_EQ(winner->measured, 3U);
}

TEST(Choose, AFailedFinalistIsOut) {
  EXPECT_EQ(chosen({measured(8, 5), measured(16, 9), failed(8, Outcome::faulted, Stage::final)}),
            16);
}

// Times in rounds of one sample each.
Trial in_rounds(std::int64_t width, const std::vector<double>& rounds_us) {
  Trial trial = measured(width, 1, Stage::final);
  trial.timing = summarise(rounds_us, 20, 1980, static_cast<int>(rounds_us.size()));
  return trial;
}

TEST(Choose, WithinAFifthOfAPercentTheDefaultWins) {
  EXPECT_EQ(chosen({measured(8, 100), measured(16, 100.19)}, 16), 16);
  EXPECT_EQ(chosen({measured(8, 100), measured(16, 100.4)}, 16), 8);
}

TEST(Choose, WhatCannotBeToldApartTiesWithinAPercent) {
  const Trial best = in_rounds(8, {100, 101, 102, 103, 104, 105});
  // In one round of six the other is as fast.
  EXPECT_EQ(chosen({best, in_rounds(16, {100.5, 101.5, 102.5, 103.5, 104.5, 105})}, 16), 16);
  // In every round it is slower, by no more.
  EXPECT_EQ(chosen({best, in_rounds(16, {100.5, 101.5, 102.5, 103.5, 104.5, 105.4})}, 16), 8);
  // As noisy as can be, and too slow to be called equal.
  EXPECT_EQ(chosen({best, in_rounds(16, {90, 120, 104, 105, 106, 107})}, 16), 8);
}

TEST(Choose, ABeatenFinalistCannotWinByAnEarlyStop) {
  // It left after three rounds, before the machine became slower.
  const std::vector<Trial> trials = {in_rounds(8, {100, 100, 100, 120, 120, 120, 120}),
                                     in_rounds(16, {102, 102, 102}),
                                     in_rounds(32, {110, 110, 110, 130, 130, 130, 130})};
  const auto winner = choose(trials, tile(99));
  ASSERT_TRUE(winner);
  EXPECT_EQ(winner->winner, 0U);
  EXPECT_EQ(winner->runner_up, 1U);
  EXPECT_FALSE(winner->tie);
}

TEST(Choose, ATieGoesToFewerResourcesThenToTheFirstInOrder) {
  const Trial a = measured(8, 100);
  const Trial b = measured(16, 100.1);
  EXPECT_EQ(chosen({with_resources(a, 64, 0), with_resources(b, 40, 900)}), 16);
  EXPECT_EQ(chosen({with_resources(a, 64, 900), with_resources(b, 64, 0)}), 16);
  EXPECT_EQ(chosen({with_resources(a, -1, 0), with_resources(b, 255, 900)}), 16);
  EXPECT_EQ(chosen({b, a}), 8);
  const auto winner = choose({b, a}, tile(99));
  ASSERT_TRUE(winner);
  EXPECT_TRUE(winner->tie);
  EXPECT_EQ(winner->runner_up, 0U);
}

Trial at_clock(Trial trial, double sm_mhz) {
  trial.timing->sm_mhz = sm_mhz;
  return trial;
}

// Of two trials, on a device whose clock was 1980 MHz before it was held down.
std::int64_t chosen_when_hot(const Trial& a, const Trial& b, std::int64_t default_width = 99) {
  return chosen({at_clock(measured(64, 500), 1980), a, b}, default_width);
}

TEST(Choose, ATieAtClocksHeldDownGoesToFewerCyclesFirst) {
  const Trial small = at_clock(with_resources(measured(8, 100), 40, 0), 1500);
  const auto lean = [](double us, double sm_mhz) {
    return at_clock(with_resources(measured(16, us), 255, 900), sm_mhz);
  };
  EXPECT_EQ(chosen_when_hot(small, lean(100, 1400)), 16);
  EXPECT_EQ(chosen_when_hot(small, lean(100, 1400), 8), 16) << "8 is the default";
  EXPECT_EQ(chosen_when_hot(small, lean(100, 1495)), 8) << "0.3 % is too little";
  EXPECT_EQ(chosen_when_hot(small, lean(100, 0)), 8) << "a clock is not known";
  EXPECT_EQ(chosen_when_hot(small, lean(102, 1400)), 8) << "this is no tie";
  EXPECT_EQ(chosen({small, lean(100, 1400)}), 8) << "no clock is higher: it is not held down";
}

TEST(Choose, CyclesAreThoseOfBothPolicies) {
  const auto both = [](std::int64_t width, double cold_mhz, double warm_mhz) {
    Trial trial = at_clock(cold_and_warm(width, 100, 50), cold_mhz);
    trial.warm_timing->sm_mhz = warm_mhz;
    return trial;
  };
  EXPECT_EQ(chosen_when_hot(both(8, 1500, 1500), both(16, 1400, 1500)), 16);
  EXPECT_EQ(chosen_when_hot(both(8, 1500, 1500), both(16, 1500, 1400)), 16);
  EXPECT_EQ(chosen_when_hot(both(8, 1500, 1500), both(16, 1400, 1600)), 8) << "equal means";
}

TEST(Choose, OrderOfTheTrialsDoesNotMatter) {
  std::vector<Trial> trials = {measured(4, 100.1), measured(8, 100), measured(16, 100.3),
                               measured(8, 101), measured(32, 100)};
  const auto before = [](const Trial& a, const Trial& b) {
    return std::tie(a.configuration, a.timing->median_us) <
           std::tie(b.configuration, b.timing->median_us);
  };
  std::sort(trials.begin(), trials.end(), before);
  const std::int64_t expected = chosen(trials);
  while (std::next_permutation(trials.begin(), trials.end(), before))
    EXPECT_EQ(chosen(trials), expected);
}

TEST(Choose, ALuckyRepetitionDoesNotDecide) {
  EXPECT_EQ(chosen({measured(8, 50), measured(8, 120), measured(16, 100)}), 16);
}

}  // namespace
}  // namespace tilewright
