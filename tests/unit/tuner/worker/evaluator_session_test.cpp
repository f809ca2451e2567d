#include "tuner/worker/evaluator_session.hpp"

#include <gtest/gtest.h>

#include "definition/implementation.hpp"

namespace tilewright {
namespace {

const std::vector<std::string> kFakeCommand = {
    "python3", TILEWRIGHT_SOURCE_DIR "/tests/support/fake_evaluator.py"};

CompileRequest request_for(const std::string& configuration) {
  CompileRequest request;
  request.source = configuration;
  request.headers = {{"operation", "scale"}, {"problem", R"({"n":64})"}, {"device", "0"}};
  request.options = {"hash of the files"};
  request.entries = {kEvaluatorEntry};
  return request;
}

TEST(EvaluatorSession, PreparesAsACompiler) {
  const auto compiler = make_evaluator_compiler(kFakeCommand, DeviceKind::host);
  const CompileResult made = compiler->compile(request_for(R"({"TILE":16})"));
  ASSERT_TRUE(made.ok()) << made.log;
  EXPECT_EQ(std::string(made.code.begin(), made.code.end()), R"({"TILE":16})");
  EXPECT_EQ(made.entries.at(kEvaluatorEntry).resources.registers, 40);
  EXPECT_EQ(made.entries.at(kEvaluatorEntry).resources.threads, -1);
  EXPECT_GT(made.milliseconds, 0);
  EXPECT_NE(made.code_hash, compiler->compile(request_for(R"({"TILE":32})")).code_hash);

  CompileRequest other_files = request_for(R"({"TILE":16})");
  other_files.options = {"hash of others"};
  EXPECT_NE(compiler->compile(other_files).code_hash, made.code_hash);
}

TEST(EvaluatorSession, WhatCannotBePreparedIsNotCompiled) {
  const auto compiler = make_evaluator_compiler(kFakeCommand, DeviceKind::host);
  for (const char* fault : {"compile", "die", "text"}) {
    const CompileResult made = compiler->compile(
        request_for(std::string(R"({"FAULT":")") + fault + R"(","STEP":"prepare"})"));
    EXPECT_EQ(made.outcome, Outcome::compile_failed) << fault;
    EXPECT_FALSE(made.log.empty());
    EXPECT_TRUE(compiler->compile(request_for(R"({"TILE":16})")).ok()) << "after " << fault;
  }
}

class OurCompiler final : public Compiler {
 public:
  CompileResult compile(const CompileRequest& request) override { return {.log = request.source}; }
  std::string version() const override { return "ours"; }
};

TEST(EvaluatorSession, WhatIsNoPreparationIsCompiledByUs) {
  const auto compiler = make_evaluator_compiler({"no-such-program"}, DeviceKind::host,
                                                [] { return std::make_unique<OurCompiler>(); });
  CompileRequest request = request_for("__global__ void f() {}");
  request.entries = {"f"};
  EXPECT_EQ(compiler->compile(request).log, request.source);
}

TEST(EvaluatorSession, ChecksAndTimes) {
  const auto session = make_evaluator_session(kFakeCommand, DeviceKind::host);
  SessionPlan plan;
  plan.problems.push_back({{"scale", {{"n", 64}}}, {}, {}});
  plan.seed = 5;
  session->open(plan);
  KernelPlan kernel;
  const std::string json = R"({"TILE":48})";
  kernel.code.assign(json.begin(), json.end());
  ASSERT_TRUE(session->load(kernel).ok());
  const auto verified = session->verify();
  ASSERT_TRUE(verified.ok());
  EXPECT_EQ(verified.value().outputs_checked, 4);
  EXPECT_EQ(verified.value().outputs_total, 5);
  EXPECT_EQ(verified.value().worst_ratio, 0.5);
  EXPECT_EQ(verified.value().seed, 5U);
  const auto timed = session->sample({});
  ASSERT_TRUE(timed.ok());
  EXPECT_EQ(timed.value().samples_us.size(), 5U);
  EXPECT_NEAR(timed.value().median_us, 26.002, 1e-9);
}

}  // namespace
}  // namespace tilewright
