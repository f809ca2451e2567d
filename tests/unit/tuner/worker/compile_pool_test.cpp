#include "tuner/worker/compile_pool.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <map>
#include <set>
#include <string>
#include <thread>

#include "temporary_folder.hpp"
#include "tilewright/error.hpp"
#include "waiting.hpp"

namespace tilewright {
namespace {

constexpr std::chrono::milliseconds kLong{60'000};
const std::string kFailedTwice = "the compiler process failed twice, the last time with ";

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
  CompilePool pool(options_for(3), {});
  for (std::size_t i = 0; i < 20; ++i) pool.submit(i, source("kernel " + std::to_string(i)));
  EXPECT_EQ(pool.waiting(), 20U);
  const auto results = take_all(pool);
  ASSERT_EQ(results.size(), 20U);
  for (const auto& [ticket, result] : results)
    EXPECT_EQ(result.code_hash, "hash of kernel " + std::to_string(ticket));
  EXPECT_EQ(pool.waiting(), 0U);
}

TEST(CompilePool, WhatIsWithdrawnIsNotCompiled) {
  CompilePool pool(options_for(1), {});
  for (std::size_t i = 0; i < 5; ++i) pool.submit(i, source("hang"));
  EXPECT_LE(pool.withdraw().size(), 1U) << "only what the process has begun";
  EXPECT_EQ(pool.waiting(), 0U);
}

TEST(CompilePool, WhatWasBegunAndWithdrawnGivesNoResult) {
  CompilePool pool(options_for(1), {});
  pool.submit(1, source("old"));
  pool.withdraw();
  pool.submit(1, source("new"));
  const auto results = take_all(pool);
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(results.begin()->second.code_hash, "hash of new");
}

TEST(CompilePool, LinesShareTheProcessesEvenly) {
  CompilePool pool(options_for(1), {});
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
  CompilePool pool(options_for(1), {});
  pool.submit(1, source("first"));
  pool.submit(2, source("second"), 1);
  pool.withdraw(1);
  EXPECT_EQ(pool.waiting(1), 0U);
  EXPECT_EQ(take_all(pool).size(), 1U);
}

TEST(CompilePool, NothingSubmittedIsNothingToWaitFor) {
  CompilePool pool(options_for(1), {});
  EXPECT_FALSE(pool.next(kLong));
}

TEST(CompilePool, WaitsNoLongerThanAsked) {
  CompilePool pool(options_for(1), {});
  pool.submit(1, source("hang"));
  EXPECT_FALSE(pool.next(std::chrono::milliseconds(10)));
  EXPECT_EQ(pool.waiting(), 1U);
}  // and the destructor does not wait for the limit of a minute

TEST(CompilePool, ALostProcessCostsOneCompile) {
  CompilePoolOptions options = options_for(2);
  options.time_limit = std::chrono::milliseconds(300);
  CompilePool pool(options, {});
  const std::vector<std::string> sources = {"a", "crash", "b", "hang", "fail", "exit 1", "c"};
  for (std::size_t i = 0; i < sources.size(); ++i) pool.submit(i, source(sources[i]));
  auto results = take_all(pool);
  ASSERT_EQ(results.size(), sources.size());
  EXPECT_TRUE(results[0].ok());
  EXPECT_EQ(results[1].outcome, Outcome::compile_failed);
  EXPECT_TRUE(results[2].ok());
  EXPECT_EQ(results[3].outcome, Outcome::compile_timed_out);
  EXPECT_EQ(results[4].outcome, Outcome::compile_failed);
  EXPECT_EQ(results[5].log, kFailedTwice + "exit status 1");
  EXPECT_TRUE(results[6].ok());
}

TEST(CompilePool, AsksTheCacheFirst) {
  const TemporaryFolder folder;
  for (const bool first_time : {true, false}) {
    SCOPED_TRACE(first_time);
    CompilePool pool(options_for(2), folder.path());
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

TEST(CompilePool, WhatIsSubmittedTwiceIsCompiledOnce) {
  const TemporaryFolder folder;
  CompilePool pool(options_for(4), folder.path());
  for (std::size_t i = 0; i < 20; ++i) pool.submit(i, source("a"), static_cast<int>(i % 2));
  int compiled = 0;
  std::set<std::size_t> tickets;
  for (const int line : {0, 1})
    for (int i = 0; i < 10; ++i) {
      const auto done = pool.next(kLong, line);
      ASSERT_TRUE(done);
      EXPECT_EQ(done->ticket % 2, static_cast<std::size_t>(line));
      tickets.insert(done->ticket);
      EXPECT_EQ(done->result.code_hash, "hash of a");
      EXPECT_EQ(done->result.from_cache, done->result.milliseconds == 0);
      if (!done->result.from_cache) ++compiled;
    }
  EXPECT_EQ(compiled, 1);
  EXPECT_EQ(tickets.size(), 20U);
}

TEST(CompilePool, NeedsNoWorkerForWhatTheCacheHolds) {
  const TemporaryFolder folder;
  CubinCache cache(folder.path());
  CompileResult result;
  result.code_hash = "cached";
  cache.store(cache_key(source("a"), "fake"), result);
  CompilePoolOptions options = options_for(1);
  options.worker = "/nonexistent/worker";
  CompilePool pool(options, folder.path());
  pool.submit(0, source("a"));
  EXPECT_EQ(take_all(pool)[0].code_hash, "cached");
}

TEST(CompilePool, ALostProcessIsNotCached) {
  const TemporaryFolder folder;
  CubinCache cache(folder.path());
  {
    CompilePool pool(options_for(1), folder.path());
    pool.submit(0, source("crash"));
    EXPECT_EQ(take_all(pool)[0].outcome, Outcome::compile_failed);
  }
  EXPECT_FALSE(cache.find(cache_key(source("crash"), "fake")));
}

TEST(CompilePool, AWorkerThatIsNotThereIsAMachineError) {
  CompilePoolOptions options = options_for(2);
  options.worker = "/nonexistent/worker";
  CompilePool pool(options, {});
  pool.submit(0, source("a"));
  EXPECT_THROW(pool.next(kLong), MachineError);
}

TEST(CompilePool, AWorkerWithoutACompilerIsAMachineError) {
  CompilePoolOptions options = options_for(1);
  options.arguments = {"refuse"};
  CompilePool pool(options, {});
  pool.submit(0, source("a"));
  try {
    pool.next(kLong);
    FAIL() << "no exception";
  } catch (const MachineError& error) {
    EXPECT_STREQ(error.what(), "this worker refuses");
  }
}

TEST(CompilePool, GoesAwayWithWorkLeft) {
  CompilePool pool(options_for(2), {});
  for (std::size_t i = 0; i < 10; ++i) pool.submit(i, source(i % 2 == 0 ? "hang" : "a"));
}

CompilePoolOptions options_for(std::vector<std::string> arguments) {
  CompilePoolOptions options;
  options.worker = TILEWRIGHT_FAKE_WORKER;
  options.arguments = std::move(arguments);
  return options;
}

TEST(CompileWorker, KeepsItsProcess) {
  const CompilePoolOptions options = options_for({"compile"});
  CompileWorker worker(options);
  const CompileResult first = worker.compile(source("a"), {});
  const CompileResult second = worker.compile(source("b"), {});
  EXPECT_TRUE(first.ok());
  EXPECT_EQ(second.code_hash, "hash of b");
  EXPECT_EQ(first.log, second.log);  // the process id
}

TEST(CompileWorker, ReplacesAProcessThatDiedWhileIdle) {
  const CompilePoolOptions options = options_for({"compile"});
  CompileWorker worker(options);
  const std::string log = worker.compile(source("a"), {}).log;
  const pid_t id = std::stoi(log.substr(std::string("process ").size()));
  ASSERT_EQ(kill(id, SIGKILL), 0);
  // Until it is gone a request could still be written to it.
  ASSERT_TRUE(becomes_true([&] { return !is_alive(id); }));
  EXPECT_TRUE(worker.compile(source("b"), {}).ok());
}

TEST(CompileWorker, ACrashIsAFailedCompile) {
  const CompilePoolOptions options = options_for({"compile"});
  CompileWorker worker(options);
  const CompileResult crashed = worker.compile(source("crash"), {});
  EXPECT_EQ(crashed.outcome, Outcome::compile_failed);
  EXPECT_EQ(crashed.log, kFailedTwice + "signal 11 (Segmentation fault)");
  EXPECT_TRUE(worker.compile(source("a"), {}).ok());
}

TEST(CompileWorker, AProcessThatIsKilledFromOutsideIsReplacedAndTheCompileTriedAgain) {
  const TemporaryFolder folder;
  const CompilePoolOptions options = options_for({"compile"});
  CompileWorker worker(options);
  for (const int number : {SIGKILL, SIGTERM, SIGHUP, SIGINT}) {
    const std::string file = (folder.path() / std::to_string(number)).string();
    EXPECT_TRUE(worker.compile(source("once " + file + " " + std::to_string(number)), {}).ok());
    EXPECT_TRUE(std::filesystem::exists(file));
  }
}

TEST(CompileWorker, KilledAgainItIsAResult) {
  const CompilePoolOptions options = options_for({"compile"});
  CompileWorker worker(options);
  const CompileResult killed = worker.compile(source("signal 9"), {});
  EXPECT_EQ(killed.outcome, Outcome::compile_timed_out);
  EXPECT_EQ(killed.log,
            kFailedTwice +
                "signal 9 (Killed); most likely over its memory limit of 8192 MiB or that of the "
                "system");
}

TEST(CompileWorker, ASignalThatAsksItToEndTwiceIsAMachineError) {
  const CompilePoolOptions options = options_for({"compile"});
  CompileWorker worker(options);
  for (const int number : {SIGTERM, SIGHUP, SIGINT})
    EXPECT_THROW(worker.compile(source("signal " + std::to_string(number)), {}), MachineError);
  EXPECT_TRUE(worker.compile(source("a"), {}).ok());
}

TEST(CompileWorker, ACrashIsTriedOnceMore) {
  const TemporaryFolder folder;
  const CompilePoolOptions options = options_for({"compile"});
  CompileWorker worker(options);
  const std::string file = (folder.path() / "died").string();
  EXPECT_TRUE(worker.compile(source("once " + file + " 11"), {}).ok());
}

TEST(CompileWorker, AKillFromOutsideIsNotCountedAsACrash) {
  const TemporaryFolder folder;
  const CompilePoolOptions options = options_for({"compile"});
  CompileWorker worker(options);
  const auto died = [&](int number, const std::string& then) {
    const std::string file = (folder.path() / std::to_string(number)).string();
    return worker.compile(source("once " + file + " " + std::to_string(number) + " " + then), {})
        .log;
  };
  EXPECT_EQ(died(SIGKILL, "crash"), kFailedTwice + "signal 11 (Segmentation fault)");
  EXPECT_TRUE(died(SIGSEGV, "signal 9").starts_with(kFailedTwice + "signal 9 (Killed)"));
}

TEST(CompileWorker, ACrashAndAWrongAnswerAreTwoFailures) {
  const TemporaryFolder folder;
  const CompilePoolOptions options = options_for({"compile"});
  CompileWorker worker(options);
  const std::string once = "once " + (folder.path() / "died").string() + " 11 garbage";
  const CompileResult result = worker.compile(source(once), {});
  EXPECT_EQ(result.outcome, Outcome::compile_failed);
  EXPECT_EQ(result.log, kFailedTwice + "a wrong answer: the message is damaged");
}

TEST(CompileWorker, StrayOutputIsAFailedCompile) {
  const CompilePoolOptions options = options_for({"compile"});
  CompileWorker worker(options);
  const CompileResult result = worker.compile(source("garbage"), {});
  EXPECT_EQ(result.outcome, Outcome::compile_failed);
  EXPECT_EQ(result.log, kFailedTwice + "a wrong answer: the message is damaged");
  EXPECT_TRUE(worker.compile(source("a"), {}).ok());
}

TEST(CompileWorker, TakesNoLongerThanItsLimit) {
  CompilePoolOptions options = options_for({"compile"});
  options.time_limit = std::chrono::milliseconds(100);
  CompileWorker worker(options);
  const CompileResult result = worker.compile(source("hang"), {});  // uses no processor
  EXPECT_EQ(result.outcome, Outcome::compile_timed_out);
  EXPECT_EQ(result.log,
            "the compile took longer than its limit of 1 s, 10 times the limit of processor time");
}

TEST(CompileWorker, TakesNoMoreMemoryThanItsLimit) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers need the whole address space";
#endif
  CompilePoolOptions options = options_for({"compile"});
  options.memory_limit_bytes = std::int64_t{256} << 20;
  CompileWorker worker(options);
  const CompileResult caught = worker.compile(source("eat"), {});
  EXPECT_EQ(caught.outcome, Outcome::compile_timed_out);
  EXPECT_NE(caught.log.find("more memory than its limit of 256 MiB"), std::string::npos)
      << caught.log;
  const CompileResult aborted = worker.compile(source("abort"), {});
  EXPECT_EQ(aborted.outcome, Outcome::compile_timed_out);
  EXPECT_NE(aborted.log.find("memory limit of 256 MiB"), std::string::npos) << aborted.log;
}

TEST(CompileWorker, AWorkerThatCannotWorkIsAMachineError) {
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"do", "exit 3"}, {"do", "exit 127"}, {"refuse"}}) {
    const CompilePoolOptions options = options_for(arguments);
    CompileWorker worker(options);
    EXPECT_THROW(worker.compile(source("a"), {}), MachineError) << arguments.back();
  }
}

TEST(CompileWorker, ASmallLimitMayBeWhyACompilerDoesNotLoad) {
  CompilePoolOptions options = options_for({"refuse"});
  const auto said = [&] {
    try {
      CompileWorker(options).compile(source("a"), {});
    } catch (const MachineError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(said(), "this worker refuses");
  options.memory_limit_bytes = std::int64_t{500} << 20;
  EXPECT_EQ(said(),
            "this worker refuses; a compile's memory limit of 500 MiB may be too small for it");
}

TEST(CompileWorker, StopsWhenAsked) {
  CompilePoolOptions options = options_for({"compile"});
  options.time_limit = std::chrono::hours(24);  // if it does not stop, this test never ends
  CompileWorker worker(options);
  std::stop_source stop;
  CompileResult result;
  std::jthread compile([&] { result = worker.compile(source("hang"), stop.get_token()); });
  stop.request_stop();
  compile.join();
  EXPECT_EQ(result.log, "interrupted");
}

}  // namespace
}  // namespace tilewright
