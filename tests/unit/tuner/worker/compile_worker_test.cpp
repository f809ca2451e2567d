#include "tuner/worker/compile_worker.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <thread>

#include "temporary_folder.hpp"
#include "tilewright/error.hpp"
#include "waiting.hpp"

namespace tilewright {
namespace {

CompilePoolOptions options_for(std::vector<std::string> arguments) {
  CompilePoolOptions options;
  options.worker = TILEWRIGHT_FAKE_WORKER;
  options.arguments = std::move(arguments);
  return options;
}

CompileRequest request_of(const std::string& text) {
  CompileRequest request;
  request.source = text;
  return request;
}

TEST(CompileWorker, KeepsItsProcess) {
  const CompilePoolOptions options = options_for({"compile"});
  CompileWorker worker(options);
  const CompileResult first = worker.compile(request_of("a"), {});
  const CompileResult second = worker.compile(request_of("b"), {});
  EXPECT_TRUE(first.ok());
  EXPECT_EQ(second.code_hash, "hash of b");
  EXPECT_EQ(first.log, second.log);  // the process id
}

TEST(CompileWorker, ReplacesAProcessThatDiedWhileIdle) {
  const CompilePoolOptions options = options_for({"compile"});
  CompileWorker worker(options);
  const std::string log = worker.compile(request_of("a"), {}).log;
  const pid_t id = std::stoi(log.substr(std::string("process ").size()));
  ASSERT_EQ(kill(id, SIGKILL), 0);
  // Until it is gone a request could still be written to it.
  ASSERT_TRUE(becomes_true([&] { return !is_alive(id); }));
  EXPECT_TRUE(worker.compile(request_of("b"), {}).ok());
}

TEST(CompileWorker, ACrashIsAFailedCompile) {
  const CompilePoolOptions options = options_for({"compile"});
  CompileWorker worker(options);
  const CompileResult crashed = worker.compile(request_of("crash"), {});
  EXPECT_EQ(crashed.outcome, Outcome::compile_failed);
  EXPECT_EQ(crashed.log, "compiler process died twice: signal 11 (Segmentation fault)");
  EXPECT_TRUE(worker.compile(request_of("a"), {}).ok());
}

TEST(CompileWorker, AProcessThatIsKilledFromOutsideIsReplacedAndTheCompileTriedAgain) {
  const TemporaryFolder folder;
  const CompilePoolOptions options = options_for({"compile"});
  CompileWorker worker(options);
  for (const int number : {SIGKILL, SIGTERM, SIGHUP, SIGINT}) {
    const std::string file = (folder.path() / std::to_string(number)).string();
    EXPECT_TRUE(worker.compile(request_of("once " + file + " " + std::to_string(number)), {}).ok());
    EXPECT_TRUE(std::filesystem::exists(file));
  }
}

TEST(CompileWorker, KilledAgainItIsAResult) {
  const CompilePoolOptions options = options_for({"compile"});
  CompileWorker worker(options);
  const CompileResult killed = worker.compile(request_of("signal 9"), {});
  EXPECT_EQ(killed.outcome, Outcome::compile_timed_out);
  EXPECT_EQ(killed.log,
            "compiler process died twice: signal 9 (Killed); most likely over its memory limit of "
            "8192 MiB or that of the system");
}

TEST(CompileWorker, ASignalThatAsksItToEndTwiceIsAMachineError) {
  const CompilePoolOptions options = options_for({"compile"});
  CompileWorker worker(options);
  for (const int number : {SIGTERM, SIGHUP, SIGINT})
    EXPECT_THROW(worker.compile(request_of("signal " + std::to_string(number)), {}), MachineError);
  EXPECT_TRUE(worker.compile(request_of("a"), {}).ok());
}

TEST(CompileWorker, ACrashIsTriedOnceMore) {
  const TemporaryFolder folder;
  const CompilePoolOptions options = options_for({"compile"});
  CompileWorker worker(options);
  const std::string file = (folder.path() / "died").string();
  EXPECT_TRUE(worker.compile(request_of("once " + file + " 11"), {}).ok());
}

TEST(CompileWorker, AKillFromOutsideIsNotCountedAsACrash) {
  const TemporaryFolder folder;
  const CompilePoolOptions options = options_for({"compile"});
  CompileWorker worker(options);
  const auto died = [&](int number, const std::string& then) {
    const std::string file = (folder.path() / std::to_string(number)).string();
    return worker
        .compile(request_of("once " + file + " " + std::to_string(number) + " " + then), {})
        .log;
  };
  EXPECT_EQ(died(SIGKILL, "crash"), "compiler process died twice: signal 11 (Segmentation fault)");
  EXPECT_EQ(died(SIGSEGV, "signal 9").substr(0, 46),
            "compiler process died twice: signal 9 (Killed)");
}

TEST(CompileWorker, StrayOutputIsAFailedCompile) {
  const CompilePoolOptions options = options_for({"compile"});
  CompileWorker worker(options);
  EXPECT_EQ(worker.compile(request_of("garbage"), {}).outcome, Outcome::compile_failed);
  EXPECT_TRUE(worker.compile(request_of("a"), {}).ok());
}

TEST(CompileWorker, TakesNoLongerThanItsLimit) {
  CompilePoolOptions options = options_for({"compile"});
  options.time_limit = std::chrono::milliseconds(100);
  CompileWorker worker(options);
  const CompileResult result = worker.compile(request_of("hang"), {});  // uses no processor
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
  const CompileResult caught = worker.compile(request_of("eat"), {});
  EXPECT_EQ(caught.outcome, Outcome::compile_timed_out);
  EXPECT_NE(caught.log.find("more memory than its limit of 256 MiB"), std::string::npos)
      << caught.log;
  const CompileResult aborted = worker.compile(request_of("abort"), {});
  EXPECT_EQ(aborted.outcome, Outcome::compile_timed_out);
  EXPECT_NE(aborted.log.find("memory limit of 256 MiB"), std::string::npos) << aborted.log;
}

TEST(CompileWorker, AWorkerThatCannotWorkIsAMachineError) {
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"do", "exit 3"}, {"do", "exit 127"}, {"refuse"}}) {
    const CompilePoolOptions options = options_for(arguments);
    CompileWorker worker(options);
    EXPECT_THROW(worker.compile(request_of("a"), {}), MachineError) << arguments.back();
  }
}

TEST(CompileWorker, ASmallLimitMayBeWhyACompilerDoesNotLoad) {
  CompilePoolOptions options = options_for({"refuse"});
  const auto said = [&] {
    try {
      CompileWorker(options).compile(request_of("a"), {});
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
  std::jthread compile([&] { result = worker.compile(request_of("hang"), stop.get_token()); });
  stop.request_stop();
  compile.join();
  EXPECT_EQ(result.log, "interrupted");
}

}  // namespace
}  // namespace tilewright
