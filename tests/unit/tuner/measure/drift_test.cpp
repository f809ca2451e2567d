#include "tuner/measure/drift.hpp"

#include <gtest/gtest.h>

namespace tilewright {
namespace {

TEST(Drift, IsNoneBeforeThereAreReadings) {
  const Drift drift;
  EXPECT_EQ(drift.readings(), 0);
  EXPECT_DOUBLE_EQ(drift.factor(), 1);
}

TEST(Drift, IsTheNewestReadingOverTheFirst) {
  Drift drift;
  drift.note(20);
  EXPECT_DOUBLE_EQ(drift.factor(), 1);
  drift.note(18);
  drift.note(23);
  drift.note(22);
  EXPECT_EQ(drift.readings(), 4);
  EXPECT_DOUBLE_EQ(drift.factor(), 1.1);
  EXPECT_DOUBLE_EQ(drift.lowest(), 0.9);
  EXPECT_DOUBLE_EQ(drift.highest(), 1.15);
}

TEST(Drift, AnotherAnchorTakesOverWhereTheFirstStood) {
  Drift drift;
  drift.note(100);
  drift.note(120);
  drift.hand_over(50);  // faster, on the same slow machine
  EXPECT_DOUBLE_EQ(drift.factor(), 1.2);
  drift.note(75);
  EXPECT_DOUBLE_EQ(drift.factor(), 1.8);
}

TEST(Drift, ASuddenChangeCountsIfTheNextReadingsSeeItToo) {
  Drift drift;
  drift.note(100);
  EXPECT_TRUE(drift.note_if_sure(101)) << "small enough";
  EXPECT_DOUBLE_EQ(drift.factor(), 1.01);
  EXPECT_FALSE(drift.note_if_sure(113));
  EXPECT_FALSE(drift.note_if_sure(101));
  EXPECT_DOUBLE_EQ(drift.factor(), 1.01);
  EXPECT_TRUE(drift.note_if_sure(100));
  EXPECT_DOUBLE_EQ(drift.factor(), 1.01) << "the median of the three";
  EXPECT_DOUBLE_EQ(drift.highest(), 1.01) << "the disturbed one left no trace";
  for (const double time_us : {90.0, 89.0}) EXPECT_FALSE(drift.note_if_sure(time_us));
  EXPECT_TRUE(drift.note_if_sure(91));
  EXPECT_DOUBLE_EQ(drift.factor(), 0.9);
  EXPECT_TRUE(drift.note_if_sure(90)) << "no doubt is left";
}

TEST(Drift, ADisturbedBaseIsReplaced) {
  Drift drift;
  drift.note(113);
  for (const double time_us : {100.0, 101.0}) EXPECT_FALSE(drift.note_if_sure(time_us));
  EXPECT_TRUE(drift.note_if_sure(99));
  EXPECT_DOUBLE_EQ(drift.base_us(), 100);
  EXPECT_DOUBLE_EQ(drift.factor(), 1);
  EXPECT_DOUBLE_EQ(drift.lowest(), 1);
}

TEST(Drift, AnAnchorThatFailsEndsTheDoubt) {
  Drift drift;
  drift.note(100);
  drift.note(100);
  EXPECT_FALSE(drift.note_if_sure(113));
  EXPECT_TRUE(drift.note_if_sure(std::nullopt));
  EXPECT_TRUE(drift.note_if_sure(101)) << "nothing of the 113 is left";
  EXPECT_DOUBLE_EQ(drift.factor(), 1.01);
}

}  // namespace
}  // namespace tilewright
