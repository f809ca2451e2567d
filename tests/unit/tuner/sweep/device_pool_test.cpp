// Sweeps on several devices.
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <thread>

#include "tests/unit/tuner/sweep/fakes.hpp"
#include "tuner/sweep/run/sweep.hpp"

namespace tilewright::test {
namespace {

class LossRecorder final : public SweepObserver {
 public:
  void on_trial(const Trial& trial) override {
    ++trials[{to_text(trial.configuration.values), trial.stage}];
    last[to_text(trial.configuration.values)] = trial;
  }
  void on_device_lost(const std::string& id, const std::string&) override { lost.push_back(id); }

  std::map<std::pair<std::string, Stage>, int> trials;
  std::map<std::string, Trial> last;
  std::vector<std::string> lost;
};

class DevicePoolTest : public ::testing::Test {
 protected:
  DevicePoolTest() {
    copy.implementation.parameters = {CopyDefinition::parameter("BLOCK", blocks(), 64),
                                      CopyDefinition::parameter("UNUSED", {0, 1}, 0)};
    // A trial takes so long that all devices get some.
    for (FakeEvaluator* one : {&first, &second, &third})
      one->on_sample = [] { std::this_thread::sleep_for(std::chrono::milliseconds(2)); };
  }
  static std::vector<Value> blocks() {
    std::vector<Value> all;
    for (std::int64_t block = 32; block <= 1024; block += 32) all.emplace_back(block);
    return all;
  }
  SweepSummary run(const std::vector<FakeEvaluator*>& evaluators) {
    std::vector<SweepDevice> devices;
    for (FakeEvaluator* one : evaluators) {
      const auto index = static_cast<int>(devices.size());
      devices.push_back({"gpu" + std::to_string(index), index, one});
    }
    return run_sweep(copy.request, build_spaces(copy.request), compilers, devices, recorder, stop);
  }
  // Every configuration has one screened trial, measured or a duplicate.
  void expect_complete() {
    for (const Value& block : blocks())
      for (const std::int64_t unused : {0, 1}) {
        const std::string name = to_text(Settings{{"BLOCK", block}, {"UNUSED", unused}});
        EXPECT_EQ((recorder.trials[{name, Stage::screen}]), 1) << name;
        const Outcome outcome = recorder.last.at(name).outcome;
        EXPECT_TRUE(outcome == Outcome::measured || outcome == Outcome::duplicate)
            << name << ' ' << to_text(outcome);
      }
  }
  std::string winner() const {
    std::string best;
    double best_us = 1e9;
    for (const auto& [name, trial] : recorder.last)
      if (trial.stage == Stage::final && trial.timing && trial.timing->median_us < best_us) {
        best = name;
        best_us = trial.timing->median_us;
      }
    return best;
  }

  CopyDefinition copy;
  FakeCompilers compilers;
  FakeEvaluator first, second, third;
  LossRecorder recorder;
  std::atomic<bool> stop = false;
};

TEST_F(DevicePoolTest, EachCandidateIsScreenedOnceAndTheFinalRunsOnTheFirst) {
  run({&first, &second});
  expect_complete();
  EXPECT_EQ(winner(), "BLOCK=1024 UNUSED=0");
  EXPECT_EQ(first.opened.size(), 2U) << "screening and final";
  EXPECT_EQ(second.opened.size(), 1U);
  EXPECT_EQ(second.opened.front().device_index, 1);
  EXPECT_GT(second.loads, 1) << "its anchor, and a share of the candidates";
}

TEST_F(DevicePoolTest, ASlowerDeviceDoesNotSkewTheChoice) {
  second.time_us = [](std::int64_t block) { return 1500.0 / static_cast<double>(block); };
  run({&first, &second});
  expect_complete();
  EXPECT_EQ(winner(), "BLOCK=1024 UNUSED=0");
}

TEST_F(DevicePoolTest, WhatALostDeviceHadMovesToTheOthers) {
  second.on_load = [this]() -> std::optional<Failure> {
    if (second.loads > 4) throw DeviceLost("fell off the bus");
    return std::nullopt;
  };
  run({&first, &second, &third});
  expect_complete();
  EXPECT_EQ(recorder.lost, std::vector<std::string>{"gpu1"});
  EXPECT_EQ(winner(), "BLOCK=1024 UNUSED=0");
}

TEST_F(DevicePoolTest, IfTheFirstIsLostTheNextTakesTheFinal) {
  for (const int at : {0, 3, 40}) {  // at its session, while it screens, in the final
    SCOPED_TRACE(at);
    recorder = {};
    FakeEvaluator dying;
    dying.on_sample = first.on_sample;
    dying.on_open = [&] {
      if (at == 0 || (at == 40 && dying.opened.size() == 2)) throw DeviceLost("fell off the bus");
    };
    dying.on_load = [&]() -> std::optional<Failure> {
      if (at == 3 && dying.loads > 3) throw DeviceLost("fell off the bus");
      return std::nullopt;
    };
    second.opened.clear();
    run({&dying, &second});
    expect_complete();
    EXPECT_EQ(recorder.lost, std::vector<std::string>{"gpu0"});
    EXPECT_EQ(second.opened.size(), 2U);
    EXPECT_EQ(winner(), "BLOCK=1024 UNUSED=0");
  }
}

TEST_F(DevicePoolTest, WithoutAnyDeviceItEnds) {
  for (FakeEvaluator* one : {&first, &second})
    one->on_open = [] { throw DeviceLost("fell off the bus"); };
  EXPECT_THROW(run({&first, &second}), DeviceLost);
  EXPECT_EQ(recorder.lost.size(), 1U);
}

TEST_F(DevicePoolTest, AnotherErrorIsNoLoss) {
  second.on_open = [] { throw MachineError("no worker program"); };
  EXPECT_THROW(run({&first, &second}), MachineError);
  EXPECT_TRUE(recorder.lost.empty());
}

TEST_F(DevicePoolTest, OneDeviceHoldsTheAnswersAgainstSimpleOnes) {
  const SimpleAnswer zeros{.output = "out", .input = "", .altered = 10, .told = 3};
  for (FakeEvaluator* one : {&first, &second}) one->simple = {zeros};
  const SweepSummary summary = run({&first, &second});
  EXPECT_EQ(first.weighed + second.weighed, 1);
  ASSERT_EQ(summary.simple_answers.size(), 1U);
  EXPECT_EQ(summary.simple_answers[0].told, 3);
}

TEST_F(DevicePoolTest, ACheckThatZerosPassEndsTheSweepBeforeATrial) {
  first.simple = {{.output = "out", .input = "", .altered = 10, .passes = true}};
  EXPECT_THROW(run({&first}), InputError);
  EXPECT_EQ(first.loads, 0);
}

}  // namespace
}  // namespace tilewright::test
