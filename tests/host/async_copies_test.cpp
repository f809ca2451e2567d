// The phases, arrivals and bytes of an mbarrier.
#include "tuner/host/threads/async_copies.hpp"

#include <gtest/gtest.h>

namespace tilewright::test {
namespace {

using host::BarrierWord;

BarrierWord of(unsigned arrivals) {
  return {.arrivals = arrivals, .missing = arrivals};
}

TEST(BarrierWords, EndAPhaseWithTheLastArrival) {
  BarrierWord word = of(3);
  for (const unsigned parity : {0U, 1U, 0U})
    for (unsigned missing = 3; missing > 0; --missing) {
      EXPECT_EQ(word.parity, parity);
      EXPECT_EQ(word.missing, missing);
      EXPECT_EQ(word.arrive(0), std::nullopt);
    }
  EXPECT_EQ(word.parity, 1U);
}

TEST(BarrierWords, EndAPhaseWithTheLastByte) {
  BarrierWord word = of(1);
  EXPECT_EQ(word.arrive(96), std::nullopt);
  EXPECT_EQ(word.complete(64), std::nullopt);
  EXPECT_EQ(word.parity, 0U);
  EXPECT_EQ(word.complete(32), std::nullopt);
  EXPECT_EQ(word.parity, 1U);
  EXPECT_EQ(word.missing, 1U);
}

// Another thread's copy may be faster than the arrival that expects it.
TEST(BarrierWords, CountBytesThatComeBeforeTheyAreExpected) {
  BarrierWord word = of(2);
  EXPECT_EQ(word.complete(64), std::nullopt);
  EXPECT_EQ(word.arrive(0), std::nullopt);
  EXPECT_EQ(word.parity, 0U);
  EXPECT_EQ(word.arrive(64), std::nullopt);
  EXPECT_EQ(word.parity, 1U);
}

TEST(BarrierWords, SayWhatCannotBe) {
  BarrierWord word = of(1);
  EXPECT_EQ(word.arrive(16), std::nullopt);
  EXPECT_EQ(word.arrive(16), "has more than 1 arrivals in a phase");
  EXPECT_EQ(word.complete(32), "has 16 bytes more than were expected");
  EXPECT_NE(of(1).arrive(1U << 20), std::nullopt);
  EXPECT_NE(of(1).complete(1U << 20), std::nullopt);
}

TEST(BarrierWords, FitEightBytes) {
  for (const unsigned arrivals : {1U, 77U, BarrierWord::kMostArrivals})
    for (const int bytes : {0, 16, -16, BarrierWord::kMostBytes, -BarrierWord::kMostBytes})
      for (const unsigned parity : {0U, 1U}) {
        const BarrierWord word{arrivals, arrivals / 2, bytes, parity};
        const auto read = BarrierWord::from_bits(word.to_bits());
        ASSERT_TRUE(read);
        EXPECT_EQ(read->arrivals, word.arrivals);
        EXPECT_EQ(read->missing, word.missing);
        EXPECT_EQ(read->missing_bytes, word.missing_bytes);
        EXPECT_EQ(read->parity, word.parity);
      }
}

TEST(BarrierWords, AreNotPoisonOrZeros) {
  EXPECT_FALSE(BarrierWord::from_bits(~std::uint64_t{0}));
  EXPECT_FALSE(BarrierWord::from_bits(0));
}

}  // namespace
}  // namespace tilewright::test
