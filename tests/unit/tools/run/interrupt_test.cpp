#include "tools/run/interrupt.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <thread>

#include "tools/input/command.hpp"
#include "tuner/worker/device_client.hpp"

namespace tilewright::tools {
namespace {

constexpr std::chrono::milliseconds kPause{250};

class Interrupt : public ::testing::Test {
 protected:
  InterruptGuard guard_;
};

TEST_F(Interrupt, TheFirstEndsTheSearchWhereThereIsAnAnswer) {
  guard_.trials_begin();
  guard_.answer_begins();
  std::raise(SIGINT);
  EXPECT_TRUE(search_end_requested());
  EXPECT_FALSE(stop_requested());
}

TEST_F(Interrupt, WithoutAnAnswerItStops) {
  guard_.trials_begin();
  guard_.answer_begins();
  guard_.answer_ends();
  std::raise(SIGINT);
  EXPECT_FALSE(search_end_requested());
  EXPECT_TRUE(stop_requested());
}

TEST_F(Interrupt, SigtermStopsInAnyCase) {
  guard_.answer_begins();
  std::raise(SIGTERM);
  EXPECT_FALSE(search_end_requested());
  EXPECT_TRUE(stop_requested());
}

TEST_F(Interrupt, ATrialIsSkippedWithoutAnyOtherEnd) {
  Skips& skips = *workers_with_skips({}).skips;
  guard_.trials_begin();
  const unsigned before = skips.asked;
  skips.running = 1;
  std::raise(SIGQUIT);
  EXPECT_EQ(skips.asked, before + 1);
  std::raise(SIGUSR1);
  EXPECT_EQ(skips.asked, before + 2);
  skips.running = 0;
  EXPECT_FALSE(stop_requested() || search_end_requested());
}

TEST_F(Interrupt, BetweenTrialsNoneIsSkipped) {
  const Skips& skips = *workers_with_skips({}).skips;
  guard_.trials_begin();
  const unsigned before = skips.asked;
  testing::internal::CaptureStderr();
  std::raise(SIGUSR1);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "\nno trial is running, so none is skipped\n");
  EXPECT_EQ(skips.asked, before);
}

// As timeout(1) sends them.
TEST_F(Interrupt, TwoAtTheSameTimeAreOne) {
  guard_.answer_begins();
  std::raise(SIGINT);
  std::raise(SIGINT);
  EXPECT_TRUE(search_end_requested());
}

TEST_F(Interrupt, TheSecondEndsTheProgram) {
  guard_.answer_begins();
  EXPECT_EXIT(
      {
        std::raise(SIGINT);
        std::this_thread::sleep_for(kPause);
        std::raise(SIGINT);
      },
      ::testing::ExitedWithCode(kInterrupted), "interrupt again to end at once");
}

}  // namespace
}  // namespace tilewright::tools
