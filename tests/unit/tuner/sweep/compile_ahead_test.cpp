#include "tuner/sweep/compile_ahead.hpp"

#include <gtest/gtest.h>

#include "tests/unit/tuner/sweep/fakes.hpp"

namespace tilewright::test {
namespace {

const std::atomic<bool> kNeverStop = false;

constexpr std::chrono::milliseconds kAtOnce(0);

TEST(CompileAheadTest, TakesResultsByTicketAndKeepsTheOthers) {
  FakeCompilers compilers;
  CompileAhead ahead(compilers);
  for (std::size_t ticket = 0; ticket < 3; ++ticket) {
    CompileRequest request;
    request.options = {"-DBLOCK=" + std::to_string(ticket)};
    ahead.submit(ticket, request);
  }
  EXPECT_EQ(ahead.in_flight(), 3u);
  EXPECT_EQ(ahead.wait_for(2, kNeverStop)->code_hash, "-DBLOCK=2");
  EXPECT_EQ(ahead.wait_for(0, kNeverStop)->code_hash, "-DBLOCK=0");
  const auto last = ahead.next(kAtOnce);
  ASSERT_TRUE(last);
  EXPECT_EQ(last->ticket, 1u);
  EXPECT_EQ(ahead.in_flight(), 0u);
  EXPECT_FALSE(ahead.next(kAtOnce));
}

TEST(CompileAheadTest, CountsCompilesApartFromTheCachesAnswers) {
  FakeCompilers compilers;
  const auto fake = compilers.compile;
  compilers.compile = [&fake](const CompileRequest& request) {
    CompileResult result = fake(request);
    result.from_cache = request.source == "known";
    return result;
  };
  CompileAhead ahead(compilers);
  for (std::size_t ticket = 0; ticket < 3; ++ticket) {
    CompileRequest request;
    if (ticket > 0) request.source = "known";
    ahead.submit(ticket, request);
  }
  ahead.wait_for(2, kNeverStop);  // the other two are set aside, and counted already
  ahead.next(kAtOnce);
  EXPECT_EQ(ahead.counts().done, 1u);
  EXPECT_EQ(ahead.counts().from_cache, 2u);
}

TEST(CompileAheadTest, AStopEndsTheWaiting) {
  FakeCompilers compilers;
  CompileAhead ahead(compilers);
  ahead.submit(1, {});
  std::atomic<bool> stop = true;
  EXPECT_FALSE(ahead.wait_for(2, stop));  // which never comes
  EXPECT_EQ(ahead.in_flight(), 1u);
  stop = false;
  EXPECT_TRUE(ahead.wait_for(1, stop));
}

TEST(CompileAheadTest, ForgettingWaitsForNothing) {
  FakeCompilers compilers;
  const Moment begin = std::chrono::steady_clock::now();
  compilers.begun = {begin};
  CompileAhead ahead(compilers);
  ahead.submit(1, {});
  ahead.submit(2, {});
  ahead.forget();
  EXPECT_EQ(ahead.in_flight(), 0u);
  EXPECT_FALSE(ahead.next(kAtOnce));
  const Moment end = std::chrono::steady_clock::now();
  const SweepClock clock = ahead.timeline().clock({begin, end}, 1);
  EXPECT_GT(clock.all_compilers_s, 0);  // it was at work until then
}

}  // namespace
}  // namespace tilewright::test
