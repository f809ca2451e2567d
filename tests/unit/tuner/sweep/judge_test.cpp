#include "tuner/sweep/devices/judge.hpp"

#include <gtest/gtest.h>

#include "tests/unit/tuner/sweep/judge_fixture.hpp"

namespace tilewright::test {
namespace {

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
    return Failure{Outcome::machine_failed, "killed"};
  };
  EXPECT_EQ(screen(64).outcome, Outcome::measured);
  EXPECT_EQ(evaluator.loads, 2);
}

TEST_F(JudgeTest, KilledAgainTheMachineIsToBlame) {
  evaluator.on_load = [] { return Failure{Outcome::machine_failed, "killed"}; };
  Trial trial;
  EXPECT_EQ(judge.screen(trial, kernel(64)), 0);
  EXPECT_EQ(trial.outcome, Outcome::machine_failed);
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

}  // namespace
}  // namespace tilewright::test
