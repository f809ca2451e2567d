#include "tuner/sweep/timeline.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace tilewright::test {
namespace {

Span seconds(int begin, int end) {
  return {Moment(std::chrono::seconds(begin)), Moment(std::chrono::seconds(end))};
}

double sum_of(const std::map<Activity, double>& parts) {
  return std::accumulate(parts.begin(), parts.end(), 0.0,
                         [](double sum, const auto& part) { return sum + part.second; });
}

// Two compile processes, ten seconds:
//   opening    0–2
//   compiling  1–5, 1–4, 6–8
//   the device 4–7 (timing), 9–10 (verifying)
//   searching  2–3 (beside all compilers), 8–9
class TimelineTest : public ::testing::Test {
 protected:
  void SetUp() override {
    timeline_.add(Activity::opening, seconds(0, 2));
    timeline_.add(Activity::compiling, seconds(1, 5));
    timeline_.add(Activity::compiling, seconds(1, 4));
    timeline_.add(Activity::compiling, seconds(6, 8));
    timeline_.add(Activity::timing, seconds(4, 7));
    timeline_.add(Activity::verifying, seconds(9, 10));
    timeline_.add(Activity::searching, seconds(2, 3));
    timeline_.add(Activity::searching, seconds(8, 9));
  }
  Timeline timeline_;
};

TEST_F(TimelineTest, OverlappingWorkCountsOnceInTheTotal) {
  const SweepClock clock = timeline_.clock(seconds(0, 10), 2);
  EXPECT_DOUBLE_EQ(clock.total_s, 10);
  EXPECT_DOUBLE_EQ(clock.device_s, 4);
  EXPECT_DOUBLE_EQ(clock.all_compilers_s, 3);
  EXPECT_DOUBLE_EQ(clock.occupied_s, 7);
  EXPECT_DOUBLE_EQ(clock.busy_s.at(Activity::compiling), 6);
  EXPECT_DOUBLE_EQ(clock.compile_process_s, 9);
  EXPECT_DOUBLE_EQ(clock.busy_s.at(Activity::searching), 2);
}

TEST_F(TimelineTest, LostTimeIsPutDownToWhatWentOnThen) {
  const SweepClock clock = timeline_.clock(seconds(0, 10), 2);
  EXPECT_DOUBLE_EQ(clock.lost_s.at(Activity::opening), 1);    // 0–1
  EXPECT_DOUBLE_EQ(clock.lost_s.at(Activity::compiling), 1);  // 7–8, one of two
  EXPECT_DOUBLE_EQ(clock.lost_s.at(Activity::searching), 1);  // 8–9
  EXPECT_DOUBLE_EQ(clock.unexplained_s, 0);
  EXPECT_DOUBLE_EQ(clock.occupied_s + sum_of(clock.lost_s) + clock.unexplained_s, clock.total_s);
}

TEST_F(TimelineTest, WhatLiesOutsideIsNotCounted) {
  const SweepClock clock = timeline_.clock(seconds(5, 12), 2);
  EXPECT_DOUBLE_EQ(clock.total_s, 7);
  EXPECT_DOUBLE_EQ(clock.device_s, 3);
  EXPECT_DOUBLE_EQ(clock.unexplained_s, 2);  // 10–12
}

TEST_F(TimelineTest, PartsOfSeveralThreadsAreOneTimeline) {
  Timeline other;
  other.add(Activity::storing, seconds(10, 11));
  other.add(timeline_);
  const SweepClock clock = other.clock(seconds(0, 11), 2);
  EXPECT_DOUBLE_EQ(clock.lost_s.at(Activity::storing), 1);
  EXPECT_DOUBLE_EQ(clock.occupied_s, 7);
}

TEST(EmptyTimelineTest, ExplainsNothing) {
  const SweepClock clock = Timeline().clock(seconds(0, 3), 0);
  EXPECT_DOUBLE_EQ(clock.unexplained_s, 3);
  EXPECT_DOUBLE_EQ(clock.occupied_s, 0);
}

}  // namespace
}  // namespace tilewright::test
