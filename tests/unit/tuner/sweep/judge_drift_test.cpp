#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/unit/tuner/sweep/judge_fixture.hpp"

namespace tilewright::test {
namespace {

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

TEST_F(JudgeTest, BesideAnotherDeviceTimesAreItsOwn) {
  evaluator.time_us = [](std::int64_t block) { return 1500.0 / static_cast<double>(block); };
  judge.begin_beside(kernel(64), 1000.0 / 64);  // 1.5 times as fast there
  Trial trial;
  EXPECT_NEAR(judge.screen(trial, kernel(32)), 1000.0 / 32, 1e-9);
  EXPECT_DOUBLE_EQ(trial.timing->median_us, 1500.0 / 32) << "what was measured stays";
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

TEST_F(SettledPowerLimit, WithoutScreeningTheClockIsReadFirst) {
  evaluator.on_sample = [this] {
    if (evaluator.lead_ins_us.back() > 0) slowness = 1.3;
  };
  Judge watching(copy.request, evaluator);
  EXPECT_EQ(watching.settle(kernel(32)), Load::held_down);
  EXPECT_EQ(evaluator.lead_ins_us, (std::vector<double>{0, 250e3, 750e3}));
}

// The load must not be over before anything looks.
TEST_F(SettledPowerLimit, TheMonitorIsReadAfterEachLoad) {
  copy.request.monitor = &monitor;
  monitor.reasons.clear();
  evaluator.sm_mhz = nullptr;
  evaluator.on_sample = [this] {
    if (evaluator.lead_ins_us.back() > 0) monitor.reasons = {"power cap"};
  };
  EXPECT_EQ(Judge(copy.request, evaluator).settle(kernel(32)), Load::held_down);
}

TEST_F(SettledPowerLimit, ALowerClockWithoutAReasonIsNotHeldDown) {
  copy.request.monitor = &monitor;
  monitor.reasons.clear();
  evaluator.on_sample = [this] {
    if (evaluator.lead_ins_us.back() > 0) slowness = 1.3;
  };
  EXPECT_EQ(Judge(copy.request, evaluator).settle(kernel(32)), Load::lowered);
}

TEST_F(SettledPowerLimit, TheHostHasNone) {
  copy.request.device.kind = DeviceKind::host;
  EXPECT_EQ(lead_ins_of(1.3), (std::vector<double>{0}));
}

}  // namespace
}  // namespace tilewright::test
