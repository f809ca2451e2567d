#include "tuner/backend/parallel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace tilewright {
namespace {

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
