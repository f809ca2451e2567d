#include "tuner/sweep/judge.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/unit/sweep/fakes.hpp"
#include "tuner/sweep/inspector.hpp"

namespace tilewright::test {
namespace {

class JudgeTest : public ::testing::Test {
 protected:
  KernelPlan kernel(std::int64_t block) {
    const Candidate candidate{&copy.implementation, {{{"BLOCK", block}, {"UNUSED", 0}}}};
    return Inspector(copy.request, {copy.request.problem}).plan(candidate, CompileResult{});
  }
  Trial screen(std::int64_t block) {
    Trial trial;
    judge.screen(trial, kernel(block));
    return trial;
  }

  CopyDefinition copy;
  FakeEvaluator evaluator;
  Judge judge{copy.request, evaluator};
};

TEST_F(JudgeTest, MeasuredTrialHoldsEverything) {
  Trial trial;
  EXPECT_DOUBLE_EQ(judge.screen(trial, kernel(64)), 1000.0 / 64);
  EXPECT_EQ(trial.outcome, Outcome::measured);
  ASSERT_TRUE(trial.verification && trial.timing);
  EXPECT_DOUBLE_EQ(trial.timing->median_us, 1000.0 / 64);
}

TEST_F(JudgeTest, AWorkerKilledFromOutsideIsNotTheConfigurationsFault) {
  evaluator.on_load = [this]() -> std::optional<Failure> {
    if (evaluator.loads > 1) return std::nullopt;
    return Failure{Outcome::faulted, "killed", Failure::Cause::outside};
  };
  EXPECT_EQ(screen(64).outcome, Outcome::measured);
  EXPECT_EQ(evaluator.loads, 2);
}

TEST_F(JudgeTest, KilledAgainItIsFaulted) {
  evaluator.on_load = [] { return Failure{Outcome::faulted, "killed", Failure::Cause::outside}; };
  Trial trial;
  EXPECT_EQ(judge.screen(trial, kernel(64)), 0);
  EXPECT_EQ(trial.outcome, Outcome::faulted);
  EXPECT_EQ(trial.message, "killed");
  EXPECT_EQ(evaluator.loads, 2);
}

TEST_F(JudgeTest, AFaultOfTheKernelCostsTheConfigurationAtOnce) {
  evaluator.on_load = [] { return Failure{Outcome::faulted, "trap"}; };
  EXPECT_EQ(screen(64).outcome, Outcome::faulted);
  EXPECT_EQ(evaluator.loads, 1);
}

TEST_F(JudgeTest, LooksAtTheMachineAfterATrial) {
  BlindMonitor monitor("no eyes");
  copy.request.monitor = &monitor;
  Judge watching(copy.request, evaluator);
  EXPECT_EQ(watching.watch().summary().readings, 0u);
  Trial trial;
  watching.screen(trial, kernel(64));
  EXPECT_EQ(watching.watch().summary().readings, 1u);
}

TEST_F(JudgeTest, KeepsWhenTheDeviceWasAtWork) {
  evaluator.on_sample = [] { std::this_thread::sleep_for(std::chrono::milliseconds(5)); };
  const Moment begin = std::chrono::steady_clock::now();
  screen(64);
  const SweepClock clock = judge.timeline().clock({begin, std::chrono::steady_clock::now()}, 1);
  EXPECT_GE(clock.busy_s.at(Activity::timing), 0.005);
  EXPECT_GE(clock.device_s, clock.busy_s.at(Activity::timing));
  EXPECT_TRUE(clock.busy_s.contains(Activity::loading));
  EXPECT_TRUE(clock.busy_s.contains(Activity::verifying));
}

TEST_F(JudgeTest, MeasuresAsManySamplesAsAskedFor) {
  Trial trial = screen(64);
  evaluator.time_us = [](std::int64_t) { return 1e9; };  // over any budget
  trial.verification.reset();
  judge.measure(trial, kernel(64), 3, Judge::Verify::no);
  EXPECT_EQ(trial.timing->samples_us, (std::vector<double>{1e9, 1e9, 1e9}));
  EXPECT_FALSE(trial.verification);
  judge.measure(trial, kernel(64), 3, Judge::Verify::yes);
  EXPECT_TRUE(trial.verification);
}

TEST_F(JudgeTest, TheRaceGivesUpInStages) {
  evaluator.time_us = [](std::int64_t block) {
    return block == 32 ? 100.0 : block == 64 ? 120.0 : 200.0;
  };
  EXPECT_EQ(screen(32).timing->samples_us.size(), 20u);
  EXPECT_EQ(screen(64).timing->samples_us.size(), 8u);
  EXPECT_EQ(screen(128).timing->samples_us.size(), 3u);
}

TEST_F(JudgeTest, ATimeOfAnEarlierRunIsKnownToTheRace) {
  Trial earlier;
  earlier.timing = summarise({100.0}, 1, 0);
  judge.remember(earlier);
  evaluator.time_us = [](std::int64_t) { return 200.0; };
  EXPECT_EQ(screen(128).timing->samples_us.size(), 3u);
}

TEST_F(JudgeTest, WithoutARaceEverythingIsMeasuredToTheEnd) {
  copy.request.race.clear();
  evaluator.time_us = [](std::int64_t block) { return block == 32 ? 100.0 : 200.0; };
  screen(32);
  EXPECT_EQ(screen(128).timing->samples_us.size(), 20u);
}

TEST_F(JudgeTest, TheRaceFollowsTheAnchorsDrift) {
  double speed = 1;
  evaluator.time_us = [&](std::int64_t block) { return speed * (block == 32 ? 100.0 : 101.0); };
  screen(32);
  screen(64);
  EXPECT_EQ(judge.drift().readings(), 2) << "a base is held against the next reading";
  speed = 1.3;  // beyond the second gate
  for (std::int64_t i = 0; i < 51; ++i) screen(64);
  EXPECT_EQ(judge.drift().readings(), 2) << "a sudden change waits for two more readings";
  screen(64);
  EXPECT_EQ(judge.drift().readings(), 3);
  EXPECT_DOUBLE_EQ(judge.drift().factor(), 1.3);
  EXPECT_EQ(screen(128).timing->samples_us.size(), 20u);
}

// One of the anchor's readings is 13 % slow, although the device always has the same speed.
class DisturbedAnchor : public JudgeTest {
 protected:
  DisturbedAnchor() {
    evaluator.time_us = [this](std::int64_t block) {
      if (block == 32 && newest_ != 32) ++readings;
      newest_ = block;
      return block == 32 && readings == disturbed ? 113.0 : 100.0;
    };
  }
  // Of configurations after the anchor, corrected.
  std::vector<double> times(int count) {
    screen(32);
    std::vector<double> times_us;
    for (int i = 0; i < count; ++i) {
      Trial trial;
      times_us.push_back(judge.screen(trial, kernel(64)));
    }
    return times_us;
  }

  int disturbed = 0;
  int readings = 0;

 private:
  std::int64_t newest_ = 0;
};

// Else it would make the 50 that follow look so much faster than all others.
TEST_F(DisturbedAnchor, IsNotDrift) {
  disturbed = 3;
  EXPECT_EQ(times(60), std::vector<double>(60, 100.0));
  EXPECT_EQ(readings, 5) << "base, one to check it, the disturbed one, and two after it";
  EXPECT_DOUBLE_EQ(judge.drift().highest(), 1);
}

TEST_F(DisturbedAnchor, ABaseIsReplaced) {
  disturbed = 1;
  EXPECT_EQ(times(60), std::vector<double>(60, 100.0));
  EXPECT_EQ(readings, 5) << "the base, three that replace it, and a regular one";
  EXPECT_DOUBLE_EQ(judge.drift().base_us(), 100);
  EXPECT_DOUBLE_EQ(judge.drift().lowest(), 1);
}

TEST_F(JudgeTest, WhereAnotherDeviceJoinsOneReadingMayBeDisturbed) {
  evaluator.time_us = [this](std::int64_t) { return evaluator.loads == 2 ? 250.0 : 200.0; };
  judge.begin_beside(kernel(32), 100);
  EXPECT_DOUBLE_EQ(judge.drift().factor(), 2) << "this device takes twice as long as the first";
}

// Somebody else computes on the device in the first `busy` readings.
class BusyMonitor final : public MachineMonitor {
 public:
  explicit BusyMonitor(int busy) : busy_(busy) {}
  MachineState read() override {
    MachineState state;
    state.computing.emplace();
    if (readings++ < busy_) state.computing->push_back({12, "train"});
    return state;
  }
  int readings = 0;

 private:
  int busy_;
};

class BusyDevice : public JudgeTest {
 protected:
  Trial screen_beside(int busy_readings, BusyRule::Then then) {
    copy.request.busy = {.then = then, .pause = std::chrono::milliseconds(0)};
    BusyMonitor monitor(busy_readings);
    Judge beside(copy.request, evaluator, &monitor);
    Trial trial;
    beside.screen(trial, kernel(64));
    return trial;
  }
};

TEST_F(BusyDevice, TheTrialIsMeasuredAgain) {
  const Trial trial = screen_beside(2, BusyRule::Then::again);
  EXPECT_EQ(trial.outcome, Outcome::measured);
  EXPECT_EQ(trial.message, "");
  EXPECT_EQ(evaluator.loads, 2);
}

TEST_F(BusyDevice, ATrialThatStaysDisturbedIsMarkedAndTheNextDoesNotWait) {
  copy.request.busy = {.pause = std::chrono::milliseconds(0)};
  BusyMonitor monitor(1000);
  Judge beside(copy.request, evaluator, &monitor);
  for (const int loads : {4, 6}) {  // the second with a reading of the anchor
    Trial trial;
    beside.screen(trial, kernel(64));
    EXPECT_EQ(trial.outcome, Outcome::measured);
    EXPECT_EQ(trial.message, "measured while process 12 (train) computed on the same device");
    EXPECT_EQ(evaluator.loads, loads);
  }
}

TEST_F(BusyDevice, TheTrialIsMarked) {
  const Trial trial = screen_beside(1, BusyRule::Then::mark);
  EXPECT_EQ(trial.message, "measured while process 12 (train) computed on the same device");
  EXPECT_EQ(evaluator.loads, 1);
}

TEST_F(BusyDevice, TheDeviceIsRefused) {
  EXPECT_THROW(screen_beside(1, BusyRule::Then::refuse), DeviceLost);
}

TEST_F(BusyDevice, AFreeDeviceIsNotDisturbed) {
  for (const auto then : {BusyRule::Then::again, BusyRule::Then::mark, BusyRule::Then::refuse})
    EXPECT_EQ(screen_beside(0, then).message, "");
  EXPECT_EQ(evaluator.loads, 3);
}

TEST_F(JudgeTest, BesideAnotherDeviceTimesAreItsOwn) {
  evaluator.time_us = [](std::int64_t block) { return 1500.0 / static_cast<double>(block); };
  judge.begin_beside(kernel(64), 1000.0 / 64);  // 1.5 times as fast there
  Trial trial;
  EXPECT_NEAR(judge.screen(trial, kernel(32)), 1000.0 / 32, 1e-9);
  EXPECT_DOUBLE_EQ(trial.timing->median_us, 1500.0 / 32) << "what was measured stays";
}

class RobustJudge : public JudgeTest {
 protected:
  RobustJudge() { copy.request.policy.cache = CachePolicy::robust; }
  Judge judge{copy.request, evaluator};  // of this policy
  Trial screen(std::int64_t block) {
    Trial trial;
    judge.screen(trial, kernel(block));
    return trial;
  }
};

TEST_F(RobustJudge, OnlyWhatComesCloseIsScreenedWarm) {
  evaluator.time_us = [](std::int64_t block) {
    return block == 32 ? 100.0 : block == 64 ? 149.0 : 151.0;
  };
  evaluator.warm_us = [](std::int64_t) { return 50.0; };
  const Trial first = screen(32);
  ASSERT_TRUE(first.warm_timing);
  EXPECT_EQ(first.warm_timing->median_us, 50);
  EXPECT_EQ(first.warm_timing->cache, CachePolicy::warm);
  EXPECT_EQ(first.timing->cache, CachePolicy::cold);
  EXPECT_TRUE(screen(64).warm_timing);
  EXPECT_FALSE(screen(128).warm_timing);
}

TEST_F(RobustJudge, OperandsFarLargerThanTheL2AreColdAnyway) {
  evaluator.warm_us = [](std::int64_t) { return 50.0; };
  copy.request.device.l2_bytes = 1000;  // of 4000 bytes of operands
  Trial trial;
  Judge(copy.request, evaluator).screen(trial, kernel(32));
  EXPECT_TRUE(trial.timing);
  EXPECT_FALSE(trial.warm_timing);
  copy.request.device.l2_bytes = 2000;
  Judge(copy.request, evaluator).screen(trial, kernel(32));
  EXPECT_TRUE(trial.warm_timing);
}

TEST_F(JudgeTest, APurePolicyIsScreenedOnce) {
  evaluator.warm_us = [](std::int64_t) { return 50.0; };
  copy.request.policy.cache = CachePolicy::cold;
  Trial trial;
  Judge(copy.request, evaluator).screen(trial, kernel(32));
  EXPECT_TRUE(trial.timing);
  EXPECT_FALSE(trial.warm_timing);
}

// A card at its power limit: it slows down under load by an amount that follows what ran before.
// Whether a reading says so depends on the monitor.
class PowerLimit : public JudgeTest {
 protected:
  class Monitor final : public MachineMonitor {
   public:
    MachineState read() override {
      MachineState state;
      state.throttle = reasons;
      return state;
    }
    std::vector<std::string> reasons = {"power cap"};
  };

  PowerLimit() {
    copy.request.monitor = &monitor;
    evaluator.on_sample = [this] { slowness = 1.25 + 0.25 * std::sin(0.4 * ++samplings); };
    evaluator.time_us = [this](std::int64_t block) { return slowness * truth(block); };
  }
  static double truth(std::int64_t block) { return 100.0 + static_cast<double>(block) / 32.0; }

  // By how much the corrected times of many configurations are scattered.
  double spread() {
    Judge watching(copy.request, evaluator);
    std::vector<double> ratios;
    for (std::int64_t block = 32; block <= 32 * 60; block += 32) {
      Trial trial;
      ratios.push_back(watching.screen(trial, kernel(block)) / truth(block));
    }
    beside = watching.beside_anchor();
    ratios.erase(ratios.begin());  // before anything was known
    const auto [low, high] = std::ranges::minmax(ratios);
    return high / low;
  }

  Monitor monitor;
  int samplings = 0;
  double slowness = 1;
  std::size_t beside = 0;
};

TEST_F(PowerLimit, EachConfigurationIsMeasuredBetweenTwoReadingsOfTheBest) {
  EXPECT_LT(spread(), 1.15);
  EXPECT_EQ(beside, 59u) << "all but the first";
}

TEST_F(PowerLimit, UnnoticedTheOrderWouldDecide) {
  monitor.reasons.clear();
  EXPECT_GT(spread(), 1.4);
  EXPECT_EQ(beside, 0u);
}

TEST_F(PowerLimit, ALowClockIsNoticedWithoutAMonitor) {
  copy.request.monitor = nullptr;
  evaluator.sm_mhz = [this] { return 1980 / slowness; };
  EXPECT_LT(spread(), 1.15);
  EXPECT_GE(beside, 50u);
}

// The last regular reading of the anchor knew nothing of it.
TEST_F(PowerLimit, ASlowdownBetweenTwoRegularReadingsIsCorrected) {
  copy.request.monitor = nullptr;
  evaluator.on_sample = [] {};
  evaluator.sm_mhz = [this] { return 1980 / slowness; };
  evaluator.time_us = [this](std::int64_t) { return 100 * slowness; };
  Judge watching(copy.request, evaluator);
  const auto screened = [&](std::int64_t block) {
    Trial trial;
    return watching.screen(trial, kernel(block));
  };
  for (std::int64_t block = 32; block <= 32 * 30; block += 32) EXPECT_NEAR(screened(block), 100, 1);
  slowness = 1.1;
  for (std::int64_t block = 32 * 31; block <= 32 * 40; block += 32)
    EXPECT_NEAR(screened(block), 100, 1);
}

TEST_F(PowerLimit, AMuchFasterConfigurationBecomesTheAnchor) {
  std::vector<std::int64_t> sampled;
  evaluator.on_sample = [] {};
  evaluator.time_us = [&](std::int64_t block) {
    if (sampled.empty() || sampled.back() != block) sampled.push_back(block);
    return block == 32 ? 1000.0 : 100.0;
  };
  Judge watching(copy.request, evaluator);
  for (const std::int64_t block : {32, 64, 96}) {
    Trial trial;
    EXPECT_NEAR(watching.screen(trial, kernel(block)), block == 32 ? 1000 : 100, 1);
  }
  EXPECT_EQ(sampled, (std::vector<std::int64_t>{32, 64, 32, 64, 96, 64}));
}

// Screens one configuration, settles on it, and measures it.
class SettledPowerLimit : public PowerLimit {
 protected:
  SettledPowerLimit() {
    copy.request.monitor = nullptr;
    copy.request.policy.cache = CachePolicy::cold;
    evaluator.sm_mhz = [this] { return 1980 / slowness; };
  }
  std::vector<double> lead_ins_of(double slowness_under_load) {
    evaluator.on_sample = [=, this] {
      if (evaluator.lead_ins_us.back() > 0) slowness = slowness_under_load;
    };
    Judge watching(copy.request, evaluator);
    Trial trial;
    watching.screen(trial, kernel(32));
    evaluator.lead_ins_us.clear();
    load = watching.settle(kernel(32));
    watching.measure(trial, kernel(32), 3, Judge::Verify::no);
    return evaluator.lead_ins_us;
  }

  Load load = Load::usual;  // as the judge found it
};

TEST_F(SettledPowerLimit, UnderALimitEachMeasurementHasALeadIn) {
  EXPECT_EQ(lead_ins_of(1.3), (std::vector<double>{250e3, 750e3, 50e3}));
  EXPECT_EQ(load, Load::held_down);
}

TEST_F(SettledPowerLimit, WarmSamplesFollowColdOnesWithoutAnother) {
  copy.request.policy.cache = CachePolicy::robust;
  EXPECT_EQ(lead_ins_of(1.3), (std::vector<double>{250e3, 750e3, 50e3, 0}));
}

TEST_F(SettledPowerLimit, WithoutOneAShortLoadIsAll) {
  EXPECT_EQ(lead_ins_of(1.01), (std::vector<double>{250e3, 0}));
  EXPECT_EQ(load, Load::usual);
}

TEST_F(SettledPowerLimit, TheHostHasNone) {
  copy.request.device.kind = DeviceKind::host;
  EXPECT_EQ(lead_ins_of(1.3), (std::vector<double>{0}));
}

}  // namespace
}  // namespace tilewright::test
