#include "tuner/measure/machine_watch.hpp"

#include <gtest/gtest.h>

namespace tilewright {
namespace {

using std::chrono::milliseconds;

class FakeMonitor final : public MachineMonitor {
 public:
  MachineState read() override {
    ++readings;
    return {};
  }
  int readings = 0;
};

MachineState state_at(double sm_mhz, std::vector<std::string> throttle = {}) {
  MachineState state;
  state.sm_mhz = sm_mhz;
  state.throttle = std::move(throttle);
  return state;
}

TEST(MachineWatch, ReadsAtMostEveryHalfSecond) {
  FakeMonitor monitor;
  MachineWatch watch(&monitor);
  const std::chrono::steady_clock::time_point start{};
  for (const int at : {0, 100, 499, 500, 900, 1000, 5000}) watch.look(start + milliseconds(at));
  EXPECT_EQ(monitor.readings, 4);
  EXPECT_EQ(watch.summary().readings, 4u);
}

TEST(MachineWatch, WithoutAMonitorKnowsNothing) {
  MachineWatch watch(nullptr);
  Timing timing;
  watch.note_in(timing);
  EXPECT_EQ(timing, Timing{});
  watch.look(std::chrono::steady_clock::now());
  EXPECT_EQ(watch.summary().readings, 0u);
}

TEST(MachineWatch, IdleAndSetClocksHoldNothingDown) {
  MachineWatch watch(nullptr);
  EXPECT_FALSE(watch.is_held_down());
  watch.add(state_at(345, {kIdle}));
  watch.add(state_at(1500, {kClocksSet}));
  EXPECT_FALSE(watch.is_held_down());
  watch.add(state_at(1400, {kClocksSet, "power cap"}));
  EXPECT_TRUE(watch.is_held_down());
  watch.add(state_at(1980));
  EXPECT_FALSE(watch.is_held_down()) << "the newest reading counts";
}

TEST(MachineWatch, ATimingGetsTheNewestReading) {
  MachineWatch watch(nullptr);
  MachineState state = state_at(1700, {"power cap", "thermal"});
  watch.add(state_at(1980));
  state.power_w = 690;
  state.temperature_c = 61;
  watch.add(state);
  Timing timing;
  watch.note_in(timing);
  EXPECT_EQ(timing.power_w, 690);
  EXPECT_EQ(timing.temperature_c, 61);
  EXPECT_EQ(timing.throttle_reasons, "power cap,thermal");
  watch.add(state_at(1980));
  watch.note_in(timing);
  EXPECT_FALSE(timing.power_w);
  EXPECT_EQ(timing.throttle_reasons, "") << "known, and nothing holds it down";
}

TEST(MachineWatch, SumsUpWhatWasRead) {
  MachineWatch watch(nullptr);
  watch.add(state_at(1700, {"power cap", kIdle}));
  watch.add(state_at(1980));
  watch.add(state_at(1900, {"power cap"}));
  watch.add(MachineState{});
  const MachineSummary summary = watch.summary();
  EXPECT_EQ(summary.readings, 4u);
  EXPECT_EQ(summary.sm_mhz, (MachineRange{1700, 1900, 1980}));
  EXPECT_FALSE(summary.power_w);
  ASSERT_EQ(summary.throttle.size(), 2u);
  EXPECT_DOUBLE_EQ(summary.throttle.at("power cap"), 2.0 / 3);
  EXPECT_DOUBLE_EQ(summary.throttle.at(kIdle), 1.0 / 3);
}

TEST(MachineWatch, NamesEveryForeignProcessOnce) {
  MachineState state;
  MachineWatch watch(nullptr);
  state.processes = {{12, "train"}};
  watch.add(state);
  state.processes = {{12, "train"}, {7, "serve"}};
  watch.add(state);
  EXPECT_EQ(watch.summary().processes, (std::vector<ForeignProcess>{{7, "serve"}, {12, "train"}}));
}

TEST(MachineWatch, UnseenIsOnlyWhatNoReadingSaw) {
  BlindMonitor blind("no eyes");
  MachineWatch watch(&blind);
  watch.look({});
  EXPECT_EQ(watch.summary().unseen.size(), 6u);
  EXPECT_EQ(watch.summary().unseen.at("throttle"), "no eyes");
  MachineState state = state_at(1980);
  state.processes.emplace();
  watch.add(state);
  const auto unseen = watch.summary().unseen;
  EXPECT_EQ(unseen.size(), 3u);
  EXPECT_FALSE(unseen.contains("sm_mhz") || unseen.contains("throttle") ||
               unseen.contains("processes"));
}

}  // namespace
}  // namespace tilewright
