#include "campaign/job/job.hpp"

#include <gtest/gtest.h>

#include <future>

#include "tilewright/error.hpp"

namespace tilewright {
namespace {

using std::chrono::milliseconds;

TEST(Heart, BeatsUntilItEndsAndSurvivesAMissedBeat) {
  int beats = 0;
  std::promise<void> enough;
  {
    const std::jthread beating = start_heart(
        [&] {
          if (++beats == 3) enough.set_value();
          if (beats == 1) throw MachineError("the disk is full");
        },
        milliseconds(1));
    enough.get_future().wait();
  }
  EXPECT_GE(beats, 3);
}

TEST(Heart, EndsAtOnceWhateverItsPeriod) {
  const std::jthread beating = start_heart([] { FAIL(); }, std::chrono::hours(24));
}

TEST(Heart, BeatsSeveralTimesInALease) {
  EXPECT_EQ(beat_period(1), milliseconds(100));
  EXPECT_EQ(beat_period(60), milliseconds(6000));
  EXPECT_EQ(beat_period(86'400), milliseconds(10'000));
}

}  // namespace
}  // namespace tilewright
