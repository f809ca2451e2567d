// Variables of the source that launches fill from arguments.
#include <gtest/gtest.h>

#include "tests/host/host_support.hpp"
#include "tilewright/error.hpp"
#include "tuner/host/backend.hpp"
#include "tuner/host/session/session.hpp"

namespace tilewright::test {
namespace {

// y = 2 · x, where x comes from a variable with room for `count` floats.
std::string source_with(const std::string& variable, const std::string& value) {
  return variable + R"(
extern "C" __global__ void run(const float* x, float* y, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) y[i] = 2.0f * )" +
         value + "[i];\n}\n";
}

CompileRequest request_with(const std::string& source, std::vector<std::string> constants) {
  CompileRequest request = request_for(source, {"run"});
  request.constants = std::move(constants);
  return request;
}

KernelPlan kernel_with(const std::string& source, const std::string& constant) {
  const CompileResult code = host_compiler().compile(request_with(source, {constant}));
  EXPECT_TRUE(code.ok()) << code.log;
  KernelPlan plan = doubling_kernel(doubling_source());
  plan.code = code.code;
  plan.symbols = {{"run", code.entries.at("run").symbol}};
  const auto found = code.entries.find('&' + constant);
  if (found != code.entries.end()) plan.symbols.emplace(found->first, found->second.symbol);
  plan.launches.front().constants = {{'&' + constant, 0, kCount * 4}};
  return plan;
}

class Constants : public ::testing::Test {
 protected:
  void SetUp() override { session_->open(doubling()); }

  std::string failure_of(const KernelPlan& kernel) const {
    const Attempt<Resources> loaded = session_->load(kernel);
    if (!loaded.ok()) return loaded.failure().message;
    const Attempt<Verification> verified = session_->verify();
    return verified.ok() ? "" : verified.failure().message;
  }

  std::unique_ptr<Evaluator> session_ = host::make_session();
};

TEST_F(Constants, HaveTheElementsOfTheArgument) {
  EXPECT_EQ(failure_of(kernel_with(source_with("__constant__ float d_x[1000];", "d_x"), "d_x")),
            "");
}

TEST_F(Constants, MayBeLargerStaticAndInANamespace) {
  EXPECT_EQ(failure_of(kernel_with(source_with("__constant__ float d_x[4096];", "d_x"), "d_x")),
            "");
  EXPECT_EQ(failure_of(kernel_with(
                source_with("namespace mine { static __constant__ float x[1000]; }", "mine::x"),
                "mine::x")),
            "");
}

TEST_F(Constants, AreFilledForEachMeasurementToo) {
  const KernelPlan kernel = kernel_with(source_with("__constant__ float d_x[1000];", "d_x"), "d_x");
  ASSERT_TRUE(session_->load(kernel).ok());
  EXPECT_TRUE(session_->sample({}).ok());
}

TEST_F(Constants, OfFewerBytesAreRefused) {
  EXPECT_EQ(failure_of(kernel_with(source_with("__constant__ float d_x[999];", "d_x"), "d_x")),
            "the variable d_x has 3996 bytes, and the argument that fills it has 4000");
}

TEST_F(Constants, ThatTheCodeDoesNotHaveAreRefused) {
  KernelPlan kernel = kernel_with(source_with("__constant__ float d_x[1000];", "d_x"), "d_x");
  kernel.symbols.erase("&d_x");
  EXPECT_EQ(failure_of(kernel), "the code has no variable d_x to fill");
  kernel.symbols["&d_x"] = "tilewright_constant_7";
  EXPECT_EQ(failure_of(kernel), "the code has no tilewright_constant_7");
}

TEST_F(Constants, ThatTheSourceDoesNotHaveDoNotCompile) {
  for (const std::string name : {"d_y", "mine::x", "none::x"}) {
    const CompileResult code = host_compiler().compile(
        request_with(source_with("namespace mine {}\n__constant__ float d_x[9];", "d_x"), {name}));
    EXPECT_EQ(code.outcome, Outcome::compile_failed);
    EXPECT_TRUE(code.log.starts_with("error: the source has no variable '" + name +
                                     "', which 'constant' in the manifest names\n"))
        << code.log;
  }
}

// A launch fills them again, with what its operands hold then.
TEST_F(Constants, FollowTheOperandsOfEachLaunch) {
  const KernelPlan kernel = kernel_with(source_with("__constant__ float d_x[1000];", "d_x"), "d_x");
  ExecutablePlan plan;
  plan.code = kernel.code;
  plan.symbols = kernel.symbols;
  plan.launches = kernel.launches.front();
  plan.sizes = {8, 8};
  const std::unique_ptr<Executable> executable = host::backend().make_executable(plan);
  std::vector<float> y(kCount);
  for (const float value : {1.5F, -3.0F}) {
    std::vector<float> x(kCount, value);
    const CallArgument arguments[] = {{x.data(), {}}, {y.data(), {}}};
    executable->launch(arguments, {}, ClearWorkspace::no, nullptr);
    EXPECT_EQ(y, std::vector<float>(kCount, 2 * value));
  }
  plan.launches.constants.front().bytes += 4;
  EXPECT_THROW(host::backend().make_executable(plan), MachineError);
}

}  // namespace
}  // namespace tilewright::test
