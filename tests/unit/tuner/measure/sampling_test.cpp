#include "tuner/measure/sampling.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "bench/peers/cases/pairs.hpp"
#include "tilewright/statistics.hpp"

namespace tilewright {
namespace {

constexpr std::int64_t kMiB = 1 << 20;

// Plays a list of sample lengths; past its end the last one repeats.
class FakeClock {
 public:
  explicit FakeClock(std::vector<double> lengths_us) : lengths_us_(std::move(lengths_us)) {}
  std::function<double()> run() {
    return [this] { return lengths_us_[std::min(runs_++, lengths_us_.size() - 1)]; };
  }
  std::size_t runs() const { return runs_; }

 private:
  std::vector<double> lengths_us_;
  std::size_t runs_ = 0;
};

SampleRequest request(int minimum, int maximum, double budget_us) {
  SampleRequest result;
  result.minimum_samples = minimum;
  result.maximum_samples = maximum;
  result.budget_us = budget_us;
  return result;
}

TEST(OperandSets, WarmUsesOne) {
  EXPECT_EQ(operand_sets(CachePolicy::warm, 1, 60 * kMiB), 1);
  EXPECT_EQ(operand_sets(CachePolicy::warm, 600 * kMiB, 60 * kMiB), 1);
}

TEST(OperandSets, ColdTakesTheFewestThatExceedThreeTimesTheL2) {
  for (const std::int64_t bytes : {kMiB, 7 * kMiB, 12 * kMiB, 48 * kMiB, 60 * kMiB, 90 * kMiB}) {
    const std::int64_t sets = operand_sets(CachePolicy::cold, bytes, 60 * kMiB);
    EXPECT_GT(sets * bytes, 180 * kMiB) << bytes;
    EXPECT_LE((sets - 1) * bytes, 180 * kMiB) << bytes;
  }
}

TEST(OperandSets, ColdNeverUsesFewerThanTwo) {
  EXPECT_EQ(operand_sets(CachePolicy::cold, 500 * kMiB, 60 * kMiB), 2);
  EXPECT_EQ(operand_sets(CachePolicy::cold, 500 * kMiB, 0), 2);
}

TEST(OperandSets, TinyOperandsDoNotNeedMoreSetsThanASampleHasCalls) {
  EXPECT_EQ(operand_sets(CachePolicy::cold, 4, 60 * kMiB), kMaximumCalls);
  EXPECT_EQ(operand_sets(CachePolicy::cold, 0, 60 * kMiB), kMaximumCalls);
}

TEST(DefaultCachePolicy, IsRobustOnAGpuAndWarmOnTheHost) {
  Device device;
  EXPECT_EQ(default_cache_policy(device), CachePolicy::robust);
  device.kind = DeviceKind::host;
  EXPECT_EQ(default_cache_policy(device), CachePolicy::warm);
}

TEST(CallsPerSample, ReachesTheSampleLength) {
  EXPECT_EQ(calls_per_sample(10, 300, 1), 30);
  EXPECT_EQ(calls_per_sample(7, 300, 1), 43);
}

TEST(CallsPerSample, IsAMultipleOfTheOperandSets) {
  EXPECT_EQ(calls_per_sample(10, 300, 7), 35);
  EXPECT_EQ(calls_per_sample(10, 300, 16), 32);
}

TEST(CallsPerSample, IsOneRoundForLongCalls) {
  EXPECT_EQ(calls_per_sample(50'000, 300, 1), 1);
  EXPECT_EQ(calls_per_sample(50'000, 300, 4), 4);
}

TEST(CallsPerSample, StopsAtTheMostCalls) {
  EXPECT_EQ(calls_per_sample(0.01, 300, 1), kMaximumCalls);
  EXPECT_EQ(calls_per_sample(0, 300, 3), kMaximumCalls / 3 * 3);
  EXPECT_EQ(calls_per_sample(0.01, 300, kMaximumCalls), kMaximumCalls);
}

TEST(CallsPerPart, ALongRotationIsSpreadOverSamples) {
  EXPECT_EQ(calls_per_part(10, 300, 46), 0) << "460 us are short enough";
  EXPECT_EQ(calls_per_part(4000, 300, 46), 1) << "instead of 184 ms";
  EXPECT_EQ(calls_per_part(100, 300, 46), 9);
  EXPECT_EQ(calls_per_part(3, 300, 4000), 300);
  EXPECT_EQ(calls_per_part(19'000, 300, 2), 1);
  EXPECT_EQ(calls_per_part(19'000, 300, 1), 0) << "there is only one set";
}

TEST(TakeSamples, DiscardsTheFirstAndDividesByTheCalls) {
  FakeClock clock({999, 20, 40, 60});
  const Timing timing = take_samples(request(3, 3, 1e9), 10, clock.run());
  EXPECT_EQ(timing.samples_us, (std::vector<double>{2, 4, 6}));
  EXPECT_DOUBLE_EQ(timing.median_us, 4);
  EXPECT_EQ(timing.calls_per_sample, 10);
  EXPECT_EQ(clock.runs(), 4U);
}

TEST(TakeSamples, AreDiscardedUntilTheLeadInIsOver) {
  FakeClock clock({100, 90, 90, 20, 40});
  SampleRequest with_lead_in = request(2, 2, 30);
  with_lead_in.lead_in_us = 250;
  const Timing timing = take_samples(with_lead_in, 10, clock.run());
  EXPECT_EQ(timing.samples_us, (std::vector<double>{2, 4}));
}

TEST(TakeSamples, LongCallsHaveNoLeadIn) {
  FakeClock clock({30e3});
  SampleRequest with_lead_in = request(2, 2, 1e9);
  with_lead_in.lead_in_us = 250e3;
  take_samples(with_lead_in, 1, clock.run());
  EXPECT_EQ(clock.runs(), 2U);
}

TEST(TakeSamples, StopsAtTheMaximumWithinTheBudget) {
  FakeClock clock({10});
  EXPECT_EQ(take_samples(request(5, 20, 1e9), 1, clock.run()).samples_us.size(), 20U);
}

TEST(TakeSamples, StopsWhenTheBudgetIsSpent) {
  FakeClock clock({300});
  // The discarded sample counts: 10 · 300 = 3000.
  EXPECT_EQ(take_samples(request(5, 20, 3000), 30, clock.run()).samples_us.size(), 9U);
}

TEST(TakeSamples, TakesTheMinimumBeyondTheBudget) {
  FakeClock clock({300});
  EXPECT_EQ(take_samples(request(5, 20, 600), 30, clock.run()).samples_us.size(), 5U);
}

TEST(TakeSamples, TakesTwoOfLongCallsAndDiscardsNone) {
  FakeClock clock({50'000, 40'000});
  EXPECT_EQ(take_samples(request(5, 20, 20'000), 1, clock.run()).samples_us,
            (std::vector<double>{50'000, 40'000}));
  EXPECT_EQ(clock.runs(), 2U);
  FakeClock rounds({50'000});
  EXPECT_EQ(take_samples(request(5, 20, 20'000), 4, rounds.run()).samples_us.size(), 5U)
      << "four calls of 12.5 ms each are within the budget";
}

TEST(TakeSamples, AbandonsAHopelessConfiguration) {
  SampleRequest hopeless = request(5, 20, 1e9);
  hopeless.gates = {{3, 15}};
  FakeClock clock({200});
  const Timing timing = take_samples(hopeless, 10, clock.run());
  EXPECT_EQ(timing.samples_us.size(), 3U);
  EXPECT_DOUBLE_EQ(timing.median_us, 20);
}

TEST(TakeSamples, AbandonsAHopelessLongCallAfterOne) {
  SampleRequest hopeless = request(5, 20, 20'000);
  hopeless.gates = {{3, 60'000}, {8, 40'000}};
  FakeClock slow({50'000});
  EXPECT_EQ(take_samples(hopeless, 1, slow.run()).samples_us.size(), 1U);
  FakeClock fair({39'000});
  EXPECT_EQ(take_samples(hopeless, 1, fair.run()).samples_us.size(), 2U);
}

TEST(TakeSamples, TakesAsManyOfLongCallsAsTheBudgetAllows) {
  FakeClock clock({50'000});
  EXPECT_EQ(take_samples(request(3, 3, 1e12), 1, clock.run()).samples_us.size(), 3U);
  EXPECT_EQ(clock.runs(), 3U);
}

TEST(TakeSamples, OneSlowSampleIsNotHopeless) {
  SampleRequest careful = request(5, 20, 1e9);
  careful.gates = {{3, 15}};
  FakeClock clock({100, 900, 100, 100});
  EXPECT_EQ(take_samples(careful, 10, clock.run()).samples_us.size(), 20U);
}

TEST(TakeSamples, ALaterGateIsNarrower) {
  SampleRequest race = request(5, 20, 1e9);
  race.gates = {{3, 30}, {8, 22}};
  FakeClock clock({250});
  EXPECT_EQ(take_samples(race, 10, clock.run()).samples_us.size(), 8U);
  FakeClock faster({210});
  EXPECT_EQ(take_samples(race, 10, faster.run()).samples_us.size(), 20U);
}

TEST(TakeSamples, AMinimumAboveTheMaximumWins) {
  FakeClock clock({10});
  EXPECT_EQ(take_samples(request(6, 4, 1e9), 1, clock.run()).samples_us.size(), 6U);
}

TEST(TakePairs, TakesTurnsAndDiscardsTheFirstPair) {
  std::string order;
  FakeClock slow({900, 40});
  FakeClock fast({900, 30});
  const auto noting = [&order](char name, std::function<double()> run) {
    return [&order, name, run = std::move(run)] {
      order += name;
      return run();
    };
  };
  const bench::PairedTimings pairs =
      bench::take_pairs(3, {4, noting('a', slow.run())}, {10, noting('b', fast.run())});
  EXPECT_EQ(order, "baabbaab");
  EXPECT_EQ(pairs.first.samples_us, (std::vector<double>{10, 10, 10}));
  EXPECT_EQ(pairs.second.samples_us, (std::vector<double>{3, 3, 3}));
  EXPECT_EQ(pairs.first.calls_per_sample, 4);
  EXPECT_EQ(pairs.second.calls_per_sample, 10);
}

// Both slow down together; the ratio does not see it.
TEST(TakePairs, ComparesPairByPair) {
  FakeClock first({1, 20, 22, 24, 26, 28, 30, 32});
  FakeClock second({1, 10, 11, 12, 13, 14, 15, 16});
  const bench::PairedTimings pairs = bench::take_pairs(7, {1, first.run()}, {1, second.run()});
  const Ratio ratio = ratio_of(pairs.first, pairs.second);
  EXPECT_DOUBLE_EQ(ratio.value, 2);
  EXPECT_DOUBLE_EQ(ratio.interval.low, 2);
  EXPECT_DOUBLE_EQ(ratio.interval.high, 2);
}

}  // namespace
}  // namespace tilewright
