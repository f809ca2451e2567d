#include "tuner/search/plateau.hpp"

#include <gtest/gtest.h>

namespace tilewright {
namespace {

TEST(Plateau, IsReachedAfterEnoughTrialsWithoutAGain) {
  Plateau plateau({.least = 10, .patience = 3, .patience_share = 0.5, .gain = 0.1});
  for (int i = 0; i < 9; ++i) plateau.add(100);
  EXPECT_FALSE(plateau.is_reached());
  plateau.add(80);  // a gain, at the tenth
  EXPECT_FALSE(plateau.is_reached());
  for (int i = 0; i < 9; ++i) plateau.add(i == 0 ? 0 : 75);  // failed, then too little
  EXPECT_FALSE(plateau.is_reached());
  plateau.add(75);
  EXPECT_TRUE(plateau.is_reached());
  EXPECT_FALSE(Plateau({.least = 0}).is_reached());
}

TEST(Plateau, IsReachedAfterEnoughTimeWhereTrialsTakeLong) {
  Plateau plateau({.least = 1000, .least_slow = 3, .least_s = 10, .patience_s = 4});
  plateau.add(100, 1);
  plateau.add(50, 8);
  plateau.add(50, 11.5);  // 3.5 s without a gain
  EXPECT_FALSE(plateau.is_reached());
  plateau.add(50, 12.5);  // 4.5 s, but 40 % of all are 5 s
  EXPECT_FALSE(plateau.is_reached());
  plateau.add(50, 13.5);
  EXPECT_TRUE(plateau.is_reached());
}

TEST(Plateau, ASearchThatStillGainsIsOverInTheEnd) {
  Plateau plateau({.least = 1000, .least_slow = 3, .most_s = 10, .longest_s = 100});
  plateau.add(100, 1);
  plateau.add(80, 11);
  EXPECT_FALSE(plateau.is_over());  // two trials
  plateau.add(60, 12);
  EXPECT_FALSE(plateau.is_reached());
  EXPECT_TRUE(plateau.is_over());
}

TEST(Plateau, SlowSearchesEndBetween9And12SecondsWithoutAGainIn5) {
  const auto after_100 = [](double gained_s) {
    Plateau plateau({});
    for (int i = 0; i < 99; ++i) plateau.add(100, 1);
    plateau.add(50, gained_s);
    return plateau;
  };
  Plateau early = after_100(2);
  early.add(50, 8.9);
  EXPECT_FALSE(early.is_reached());
  early.add(50, 9);
  EXPECT_TRUE(early.is_reached());
  EXPECT_FALSE(early.is_over());
  Plateau late = after_100(7);
  late.add(50, 11.9);
  EXPECT_FALSE(late.is_reached());
  late.add(50, 12.1);
  EXPECT_TRUE(late.is_reached());
  EXPECT_TRUE(after_100(12).is_over());
}

TEST(Plateau, WhereCompilesAreSlowHalfOfTheTrialsAreEnough) {
  Plateau plateau({.least = 1000, .least_slow = 4, .most_s = 10, .longest_s = 15});
  plateau.add(80, 16);
  EXPECT_FALSE(plateau.is_over());  // one trial
  plateau.add(70, 14);
  EXPECT_FALSE(plateau.is_over());
  plateau.add(60, 15);
  EXPECT_TRUE(plateau.is_over());
}

TEST(Plateau, TimeAloneEndsNoSearchOfFewTrials) {
  Plateau plateau({.least = 1000, .least_slow = 3});
  plateau.add(100, 1);
  plateau.add(100, 100);
  EXPECT_FALSE(plateau.is_reached());
}

}  // namespace
}  // namespace tilewright
