#include "tuner/backend/parallel.hpp"

#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <string>
#include <vector>

#include "tilewright/error.hpp"

namespace tilewright {
namespace {

// New threads ask for a stack that no machine has, which fails as too many threads do.
class NoMoreThreads {
 public:
  NoMoreThreads() {
    pthread_getattr_default_np(&usual_);
    pthread_attr_t large;
    pthread_getattr_default_np(&large);
    pthread_attr_setstacksize(&large, std::size_t{1} << 50);
    EXPECT_EQ(pthread_setattr_default_np(&large), 0);
    pthread_attr_destroy(&large);
  }
  NoMoreThreads(const NoMoreThreads&) = delete;
  NoMoreThreads& operator=(const NoMoreThreads&) = delete;
  ~NoMoreThreads() {
    pthread_setattr_default_np(&usual_);
    pthread_attr_destroy(&usual_);
  }

 private:
  pthread_attr_t usual_;
};

TEST(StartThread, SaysThatTheSystemAllowsNoFurtherOne) {
  const NoMoreThreads none;
  try {
    start_thread([] {});
    FAIL() << "a thread began";
  } catch (const MachineError& error) {
    EXPECT_NE(std::string(error.what()).find("ulimit -u"), std::string::npos) << error.what();
  }
}

TEST(WhyNotStarted, HasAdviceWhereThereAreTooManyProcesses) {
  EXPECT_EQ(why_not_started(EAGAIN), kNoMoreThreads);
  EXPECT_EQ(why_not_started(ENOENT), "No such file or directory");
}

TEST(ParallelRanges, DoWithTheThreadsThatThereAre) {
  const NoMoreThreads none;
  int visits = 0;
  parallel_ranges(
      10, 1, [&](std::int64_t, std::int64_t) { ++visits; }, 4);
  EXPECT_EQ(visits, 10);
}

TEST(ParallelRanges, CoverEveryIndexOnce) {
  for (const std::int64_t grain : {0, 1, 7, 1000, 5000}) {
    std::vector<int> visits(1000, 0);
    parallel_ranges(1000, grain, [&](std::int64_t first, std::int64_t last) {
      EXPECT_LT(first, last);
      for (std::int64_t i = first; i < last; ++i) ++visits[static_cast<std::size_t>(i)];
    });
    EXPECT_EQ(std::count(visits.begin(), visits.end(), 1), 1000) << "grain " << grain;
  }
}

TEST(ParallelRanges, DoNothingForNoElements) {
  parallel_ranges(0, 4, [](std::int64_t, std::int64_t) { FAIL(); });
}

TEST(ParallelRanges, RethrowAnException) {
  const auto throws = [](std::int64_t first, std::int64_t) {
    if (first == 30) throw std::runtime_error("range 30");
  };
  EXPECT_THROW(parallel_ranges(100, 10, throws), std::runtime_error);
}

}  // namespace
}  // namespace tilewright
