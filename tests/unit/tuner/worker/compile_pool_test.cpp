#include "tuner/worker/compile_pool.hpp"

#include <gtest/gtest.h>

#include <map>

#include "temporary_folder.hpp"
#include "tilewright/error.hpp"

namespace tilewright {
namespace {

constexpr std::chrono::milliseconds kLong{60'000};

CompilePoolOptions options_for(int processes) {
  CompilePoolOptions options;
  options.worker = TILEWRIGHT_FAKE_WORKER;
  options.processes = processes;
  options.compiler_version = "fake";
  return options;
}

CompileRequest source(const std::string& text) {
  CompileRequest request;
  request.source = text;
  return request;
}

std::map<std::size_t, CompileResult> take_all(CompilePool& pool) {
  std::map<std::size_t, CompileResult> results;
  while (pool.waiting() > 0) {
    auto done = pool.next(kLong);
    if (!done) break;
    results[done->ticket] = std::move(done->result);
  }
  return results;
}

TEST(CompilePool, GivesEveryTicketItsResult) {
  CompilePool pool(options_for(3), nullptr);
  for (std::size_t i = 0; i < 20; ++i) pool.submit(i, source("kernel " + std::to_string(i)));
  EXPECT_EQ(pool.waiting(), 20U);
  const auto results = take_all(pool);
  ASSERT_EQ(results.size(), 20U);
  for (const auto& [ticket, result] : results)
    EXPECT_EQ(result.code_hash, "hash of kernel " + std::to_string(ticket));
  EXPECT_EQ(pool.waiting(), 0U);
}

TEST(CompilePool, WhatIsWithdrawnIsNotCompiled) {
  CompilePool pool(options_for(1), nullptr);
  for (std::size_t i = 0; i < 5; ++i) pool.submit(i, source("hang"));
  EXPECT_LE(pool.withdraw().size(), 1U) << "only what the process has begun";
  EXPECT_EQ(pool.waiting(), 0U);
}

TEST(CompilePool, WhatWasBegunAndWithdrawnGivesNoResult) {
  CompilePool pool(options_for(1), nullptr);
  pool.submit(1, source("old"));
  pool.withdraw();
  pool.submit(1, source("new"));
  const auto results = take_all(pool);
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(results.begin()->second.code_hash, "hash of new");
}

TEST(CompilePool, LinesShareTheProcessesEvenly) {
  CompilePool pool(options_for(1), nullptr);
  for (std::size_t i = 0; i < 20; ++i) pool.submit(i, source("first " + std::to_string(i)));
  pool.submit(7, source("second"), 1);
  const auto done = pool.next(kLong, 1);
  ASSERT_TRUE(done);
  EXPECT_EQ(done->ticket, 7U);
  EXPECT_EQ(done->result.code_hash, "hash of second");
  EXPECT_EQ(pool.waiting(1), 0U);
  EXPECT_EQ(take_all(pool).size(), 20U) << "none of the first line's results is lost";
}

TEST(CompilePool, AWithdrawalIsOfOneLine) {
  CompilePool pool(options_for(1), nullptr);
  pool.submit(1, source("first"));
  pool.submit(2, source("second"), 1);
  pool.withdraw(1);
  EXPECT_EQ(pool.waiting(1), 0U);
  EXPECT_EQ(take_all(pool).size(), 1U);
}

TEST(CompilePool, NothingSubmittedIsNothingToWaitFor) {
  CompilePool pool(options_for(1), nullptr);
  EXPECT_FALSE(pool.next(kLong));
}

TEST(CompilePool, WaitsNoLongerThanAsked) {
  CompilePool pool(options_for(1), nullptr);
  pool.submit(1, source("hang"));
  EXPECT_FALSE(pool.next(std::chrono::milliseconds(10)));
  EXPECT_EQ(pool.waiting(), 1U);
}  // and the destructor does not wait for the limit of a minute

TEST(CompilePool, ALostProcessCostsOneCompile) {
  CompilePoolOptions options = options_for(2);
  options.time_limit = std::chrono::milliseconds(300);
  CompilePool pool(options, nullptr);
  const std::vector<std::string> sources = {"a", "crash", "b", "hang", "fail", "exit 1", "c"};
  for (std::size_t i = 0; i < sources.size(); ++i) pool.submit(i, source(sources[i]));
  auto results = take_all(pool);
  ASSERT_EQ(results.size(), sources.size());
  EXPECT_TRUE(results[0].ok());
  EXPECT_EQ(results[1].outcome, Outcome::compile_failed);
  EXPECT_TRUE(results[2].ok());
  EXPECT_EQ(results[3].outcome, Outcome::compile_timed_out);
  EXPECT_EQ(results[4].outcome, Outcome::compile_failed);
  EXPECT_EQ(results[5].log, "compiler process died twice: exit status 1");
  EXPECT_TRUE(results[6].ok());
}

TEST(CompilePool, AsksTheCacheFirst) {
  const TemporaryFolder folder;
  const auto cache = std::make_shared<CubinCache>(folder.path());
  for (const bool first_time : {true, false}) {
    SCOPED_TRACE(first_time);
    CompilePool pool(options_for(2), cache);
    pool.submit(0, source("a"));
    pool.submit(1, source("fail"));
    auto results = take_all(pool);
    ASSERT_EQ(results.size(), 2U);
    EXPECT_EQ(results[0].code_hash, "hash of a");
    EXPECT_EQ(results[1].outcome, Outcome::compile_failed);
    EXPECT_EQ(results[0].milliseconds > 0, first_time);
    EXPECT_EQ(results[0].from_cache, !first_time);
    EXPECT_EQ(results[1].milliseconds > 0, first_time);
  }
}

TEST(CompilePool, NeedsNoWorkerForWhatTheCacheHolds) {
  const TemporaryFolder folder;
  const auto cache = std::make_shared<CubinCache>(folder.path());
  CompileResult result;
  result.code_hash = "cached";
  cache->store(cache_key(source("a"), "fake"), result);
  CompilePoolOptions options = options_for(1);
  options.worker = "/nonexistent/worker";
  CompilePool pool(options, cache);
  pool.submit(0, source("a"));
  EXPECT_EQ(take_all(pool)[0].code_hash, "cached");
}

TEST(CompilePool, ALostProcessIsNotCached) {
  const TemporaryFolder folder;
  const auto cache = std::make_shared<CubinCache>(folder.path());
  {
    CompilePool pool(options_for(1), cache);
    pool.submit(0, source("crash"));
    EXPECT_EQ(take_all(pool)[0].outcome, Outcome::compile_failed);
  }
  EXPECT_FALSE(cache->find(cache_key(source("crash"), "fake")));
}

TEST(CompilePool, AWorkerThatIsNotThereIsAMachineError) {
  CompilePoolOptions options = options_for(2);
  options.worker = "/nonexistent/worker";
  CompilePool pool(options, nullptr);
  pool.submit(0, source("a"));
  EXPECT_THROW(pool.next(kLong), MachineError);
}

TEST(CompilePool, AWorkerWithoutACompilerIsAMachineError) {
  CompilePoolOptions options = options_for(1);
  options.arguments = {"refuse"};
  CompilePool pool(options, nullptr);
  pool.submit(0, source("a"));
  try {
    pool.next(kLong);
    FAIL() << "no exception";
  } catch (const MachineError& error) {
    EXPECT_STREQ(error.what(), "this worker refuses");
  }
}

TEST(CompilePool, GoesAwayWithWorkLeft) {
  CompilePool pool(options_for(2), nullptr);
  for (std::size_t i = 0; i < 10; ++i) pool.submit(i, source(i % 2 == 0 ? "hang" : "a"));
}

}  // namespace
}  // namespace tilewright
