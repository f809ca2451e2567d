// Workers that say something wrong: it costs the trial, and neither the sweep nor other trials.
#include <gtest/gtest.h>

#include <atomic>
#include <tuple>

#include "tests/unit/tuner/sweep/fakes.hpp"
#include "tuner/worker/compile_pool.hpp"
#include "tuner/worker/device_client.hpp"

namespace tilewright {
namespace {

DeviceClientOptions bad_device() {
  DeviceClientOptions options;
  options.worker = TILEWRIGHT_FAKE_WORKER;
  return options;
}

// Of the kernel's first step that fails.
Failure failure_in(Evaluator& client, const std::string& step, const std::string& said) {
  KernelPlan kernel;
  kernel.symbols[step] = "say " + said;
  const auto loaded = client.load(kernel);
  if (!loaded.ok()) return loaded.failure();
  const auto verified = client.verify();
  if (!verified.ok()) return verified.failure();
  const auto timed = client.sample({});
  return timed.ok() ? Failure{Outcome::measured, "it was taken"} : timed.failure();
}

TEST(BadWorker, EndsAndItsStepIsAFault) {
  const std::unique_ptr<Evaluator> client = make_device_client(bad_device());
  client->open({});
  int restarts = 0;
  for (const auto& [step, said, why] :
       std::vector<std::tuple<std::string, std::string, std::string>>{
           {"load", R"({"ok": {}})", "'ok': 'registers' is missing"},
           {"load", R"({"ok": 3})", "'ok'"},
           {"load", R"([1, 2])", "'machine_error' is missing"},
           {"load", R"("ok")", "'machine_error' is missing"},
           {"verify", R"({})", "'machine_error' is missing"},
           {"verify", R"({"ok": {"outputs_checked": "many"}})", "'outputs_checked'"},
           {"verify", R"({"failure": {"outcome": "measured", "message": ""}})", "'outcome'"},
           {"verify", R"({"failure": {"outcome": "odd", "message": ""}})", "'outcome'"},
           {"verify", R"({"failure": {"outcome": "wrong_answer"}})", "'message' not found"},
           {"sample", R"({"machine_error": 7})", "'machine_error'"},
           {"sample", R"({"input_error": {}})", "'input_error'"},
           {"sample", R"({"ok": {"median_us": -1}})", "'ok'"}}) {
    SCOPED_TRACE(said);
    const Failure failure = failure_in(*client, step, said);
    EXPECT_EQ(failure.outcome, Outcome::faulted);
    const std::string begins = "the device process said something wrong in '" + step + "': ";
    EXPECT_EQ(failure.message.substr(0, begins.size()), begins);
    EXPECT_NE(failure.message.find(why), std::string::npos) << failure.message;
    EXPECT_TRUE(client->load({}).ok());
    EXPECT_EQ(client->restarts(), ++restarts);
  }
}

TEST(BadWorker, WhatACompilerSaysIsChecked) {
  CompilePoolOptions options;
  options.worker = TILEWRIGHT_FAKE_WORKER;
  CompileWorker worker(options);
  for (const std::string said :
       {R"({"result": {}})", R"({"result": 1})", R"([])", R"({"machine_error": null})"}) {
    SCOPED_TRACE(said);
    CompileRequest request;
    request.source = "say " + said;
    const CompileResult result = worker.compile(request, {});
    EXPECT_EQ(result.outcome, Outcome::compile_failed);
    EXPECT_TRUE(result.log.starts_with(
        "the compiler process failed twice, the last time with a wrong answer: "))
        << result.log;
  }
}

TEST(BadWorker, ASweepGoesOn) {
  test::CopyDefinition copy;
  test::FakeCompilers compilers;
  const auto compile = compilers.compile;
  compilers.compile = [&](const CompileRequest& request) {
    CompileResult result = compile(request);
    if (test::has_option(request, "-DBLOCK=32"))
      result.entries["verify"].symbol = R"(say {"ok": {"outputs_checked": -1}})";
    if (test::has_option(request, "-DBLOCK=128"))
      result.entries["sample"].symbol = R"(say {"ok": {"samples_us": []}})";
    return result;
  };
  const std::unique_ptr<Evaluator> client = make_device_client(bad_device());
  test::Recorder recorder;
  const std::atomic<bool> stop = false;
  test::run_sweep(copy.request, build_spaces(copy.request), compilers, *client, recorder, stop);
  std::map<std::int64_t, const Trial*> first;  // of each BLOCK that has code of its own
  for (const Trial& trial : recorder.trials)
    if (trial.outcome != Outcome::duplicate)
      first.try_emplace(std::get<std::int64_t>(trial.configuration.values.at("BLOCK")), &trial);
  for (const std::int64_t block : {32, 128}) {
    ASSERT_TRUE(first.contains(block));
    EXPECT_EQ(first.at(block)->outcome, Outcome::faulted);
    EXPECT_NE(first.at(block)->message.find("said something wrong"), std::string::npos);
    EXPECT_FALSE(first.at(block)->timing);
  }
  ASSERT_TRUE(first.contains(64));
  EXPECT_EQ(first.at(64)->outcome, Outcome::measured) << first.at(64)->message;
  EXPECT_EQ(first.at(64)->timing->median_us, 2.5);
}

}  // namespace
}  // namespace tilewright
