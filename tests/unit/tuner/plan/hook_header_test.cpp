#include "tuner/plan/hook_header.hpp"
#include "tuner/plan/compile_request.hpp"

#include <gtest/gtest.h>

#include "tests/unit/tuner/plan/filter_operation.hpp"
#include "tuner/plan/launch_plan.hpp"

namespace tilewright {
namespace {

Argument argument(const std::string& name, ArgumentKind kind, ElementType type) {
  Argument result;
  result.name = name;
  result.kind = kind;
  result.type = type;
  return result;
}

// The filter operation, stored through a snippet with a buffer and a scalar.
Operation hooked() {
  Operation operation = filter_operation();
  Hook hook{"last_step", "", {{"column", Expression::parse("n")}, {"index", Expression(1)}}};
  Snippet snippet;
  snippet.name = "mix";
  snippet.hook = hook.name;
  snippet.code = "return value * bias[column] + shift;";
  snippet.file = "/somewhere/mix.toml";
  snippet.line = 9;
  snippet.arguments = {argument("bias", ArgumentKind::buffer, ElementType::float32),
                       argument("shift", ArgumentKind::scalar, ElementType::int32)};
  hook.snippet = snippet;
  operation.hooks = {hook};
  for (Argument own : snippet.arguments) {
    own.name = hook_argument(hook, own);
    operation.arguments.push_back(own);
  }
  return operation;
}

TEST(HookHeader, HoldsTheSnippetWithItsOwnLines) {
  EXPECT_EQ(hook_header(hooked().hooks[0], "double"),
            "// The snippet 'mix' of mix.toml.\n"
            "#pragma once\n"
            "struct LastStep {\n"
            "  typedef double real;\n"
            "  const float* bias;\n"
            "  int shift;\n"
            "  __device__ __forceinline__ real operator()(const real value, const int column, "
            "const int index) const {\n"
            "#line 9 \"mix.toml\"\n"
            "return value * bias[column] + shift;\n"
            "#line 1 \"last_step.cuh\"\n"
            "  }\n"
            "};\n"
            "#define LAST_STEP_PARAMETERS , const float* __restrict__ last_step_bias, "
            "int last_step_shift\n"
            "#define LAST_STEP_ARGUMENTS {last_step_bias, last_step_shift}\n");
}

TEST(HookHeader, HasTheSigmoidOfSnippetsThatCallIt) {
  Hook hook = hooked().hooks[0];
  const auto has = [&](const std::string& real, const std::string& text) {
    return hook_header(hook, real).find(text) != std::string::npos;
  };
  EXPECT_FALSE(has("float", "sigmoid"));
  hook.snippet->code = "return sigmoid(value);";
  EXPECT_TRUE(has("float", "float sigmoid(float x)"));
  EXPECT_TRUE(has("double", "double sigmoid(double x)"));
  EXPECT_FALSE(has("int", "sigmoid(double x)"));
}

TEST(HookHeader, StandsWhereTheKernelIncludesIt) {
  const auto in_float = [](const Hook&) { return std::string("float"); };
  const std::map<std::string, std::string> headers = {
      {"../common/last_step.cuh", "identity"}, {"run.cuh", "run"}, {"my_last_step.cuh", "mine"}};
  const auto replaced = with_snippets(headers, hooked(), in_float);
  EXPECT_EQ(replaced.at("../common/last_step.cuh"), hook_header(hooked().hooks[0], "float"));
  EXPECT_EQ(replaced.at("run.cuh"), "run");
  EXPECT_EQ(replaced.at("my_last_step.cuh"), "mine");
  Operation without = hooked();
  without.hooks[0].snippet.reset();
  EXPECT_EQ(with_snippets(headers, without, in_float), headers);
}

TEST(HookHeader, IsTriedAlone) {
  const CompileRequest request = snippet_request(hooked().hooks[0], "float", "sm_90");
  EXPECT_EQ(request.headers.at("last_step.cuh"), hook_header(hooked().hooks[0], "float"));
  EXPECT_NE(request.source.find("snippet(*value, 0, 0)"), std::string::npos) << request.source;
  EXPECT_EQ(request.entries, std::vector<std::string>{"call_snippet"});
}

TEST(HookHeader, ALaunchPassesTheSnippetsArgumentsForTheHook) {
  Launch launch;
  launch.arguments = {by_name("in"), by_name("last_step"), by_name("out")};
  const Settings values = {{"n", 5}, {"taps", 3}, {"boundary", "zero"}};
  const auto planned = [&](const Operation& operation) {
    std::vector<int> indices;
    const LaunchPlan plan = plan_launches(operation, {launch}, {}, scope_over({&values}));
    for (const PlannedArgument& argument : plan.launches.at(0).arguments)
      indices.push_back(argument.index);
    return indices;
  };
  EXPECT_EQ(planned(hooked()), (std::vector<int>{0, 4, 5, 3}));
  Operation without = hooked();
  without.hooks[0].snippet.reset();
  EXPECT_EQ(planned(without), (std::vector<int>{0, 3}));
}

}  // namespace
}  // namespace tilewright
