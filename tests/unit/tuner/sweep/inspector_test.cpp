#include "tuner/sweep/prepare/inspector.hpp"

#include <gtest/gtest.h>

#include "tests/unit/tuner/sweep/fakes.hpp"

namespace tilewright::test {
namespace {

class InspectorTest : public ::testing::Test {
 protected:
  Candidate candidate(std::int64_t block, std::int64_t unused = 0) {
    return {&copy.implementation, {{{"BLOCK", block}, {"UNUSED", unused}}}};
  }
  static CompileResult code(std::int64_t block) {
    CompileRequest request;
    request.options = {"-DBLOCK=" + std::to_string(block)};
    return FakeCompilers().compile(request);
  }

  CopyDefinition copy;
  Inspector inspector{copy.request, {copy.request.problem}};
};

TEST_F(InspectorTest, LaunchesPassWhatTheCodesKernelsTake) {
  using Sizes = std::vector<std::int64_t>;
  std::optional<Sizes> declared;
  copy.request.backend.kernel_parameters = [&](std::span<const std::uint8_t>,
                                               const std::string& symbol) {
    EXPECT_EQ(symbol, "copy");
    return declared;
  };
  EXPECT_TRUE(inspector.inspect(candidate(32), code(32)).kernel) << "the code does not say";
  declared = {8};
  EXPECT_TRUE(inspector.inspect(candidate(64), code(64)).kernel);
  const auto refused = [&](const Sizes& sizes) {
    declared = sizes;
    const Inspected inspected = inspector.inspect(candidate(128), code(128));
    EXPECT_FALSE(inspected.kernel);
    EXPECT_EQ(inspected.trial.outcome, Outcome::launch_failed);
    return inspected.trial.message;
  };
  EXPECT_EQ(refused({8, 4}), "copy takes 2 arguments; the launch gives 1");
  EXPECT_EQ(refused({}), "copy takes 0 arguments; the launch gives 1");
  EXPECT_EQ(refused({4}), "copy: argument 1 has 4 bytes; the launch gives 8");
  Argument scale;
  scale.name = "scale";
  scale.kind = ArgumentKind::scalar;
  Argument table = scale;
  table.name = "table";
  table.kind = ArgumentKind::array;
  table.capacity = 5;
  copy.operation.arguments.insert(copy.operation.arguments.end(), {scale, table});
  Launch& launch = copy.implementation.launches[0];
  for (const char* name : {"scale", "table"})
    launch.arguments.push_back(
        {LaunchArgument::Kind::argument, name, Expression(0), ElementType::int32});
  EXPECT_EQ(refused({8, 4, 16}), "copy: argument 3 has 16 bytes; the launch gives 20");
  launch.arguments.push_back({LaunchArgument::Kind::trip, "", Expression(0)});
  launch.loop = "passes";
  copy.implementation.loops = {{"passes", Expression{3}}};
  EXPECT_EQ(refused({8, 4, 20, 8}), "copy: argument 4 has 8 bytes; the launch gives 4");
}

TEST_F(InspectorTest, WhatCanRunHasAKernelAndWhatTheCompilerSaid) {
  const Inspected inspected = inspector.inspect(candidate(32), code(32));
  ASSERT_TRUE(inspected.kernel);
  EXPECT_EQ(inspected.trial.implementation, "copy/plain");
  EXPECT_EQ(inspected.trial.code_hash, "-DBLOCK=32");
  EXPECT_EQ(inspected.trial.compile_ms, 1);
  ASSERT_TRUE(inspected.trial.resources);
  EXPECT_EQ(inspected.trial.resources->threads, 32);
}

TEST_F(InspectorTest, EqualCodeIsADuplicate) {
  inspector.inspect(candidate(32, 0), code(32));
  const Inspected second = inspector.inspect(candidate(32, 1), code(32));
  EXPECT_FALSE(second.kernel);
  EXPECT_EQ(second.trial.outcome, Outcome::duplicate);
  EXPECT_NE(second.trial.message.find("UNUSED=0"), std::string::npos);
}

TEST_F(InspectorTest, ADefaultIsNobodysDuplicate) {
  inspector.inspect(candidate(64, 1), code(64));
  EXPECT_TRUE(inspector.inspect(candidate(64, 0), code(64)).kernel);
}

TEST_F(InspectorTest, CodeWithoutTheKernelIsAFailedCompile) {
  CompileResult other = code(64);
  other.entries = {};
  const Inspected inspected = inspector.inspect(candidate(64), other);
  EXPECT_FALSE(inspected.kernel);
  EXPECT_EQ(inspected.trial.outcome, Outcome::compile_failed);
  EXPECT_NE(inspected.trial.message.find("'copy'"), std::string::npos);
}

TEST_F(InspectorTest, ARemarkRulesOutByName) {
  copy.implementation.remarks = {{{"C7510", "C7511"}, "wgmma is serialised"},
                                 {{"C7602"}, "too many registers"}};
  CompileResult remarked = code(32);
  remarked.log = "ptxas info    : (C7511) Potential Performance Loss: serialized\n";
  const Inspected inspected = inspector.inspect(candidate(32), remarked);
  EXPECT_FALSE(inspected.kernel);
  EXPECT_EQ(inspected.trial.outcome, Outcome::pruned);
  EXPECT_EQ(inspected.trial.rule, "wgmma is serialised");
  EXPECT_EQ(inspected.trial.message,
            "ptxas info    : (C7511) Potential Performance Loss: serialized");
  ASSERT_TRUE(inspected.trial.resources);
  EXPECT_EQ(inspected.trial.resources->registers, 32);
  EXPECT_TRUE(inspector.inspect(candidate(64), code(64)).kernel);
}

TEST_F(InspectorTest, ARemarkRulesOutWhatDoesNotCompileToo) {
  copy.implementation.remarks = {{{"C7602"}, "too many registers"}};
  CompileResult failed;
  failed.outcome = Outcome::compile_failed;
  failed.log = "ptxas error   : (C7602) too much\n";
  const Trial trial = inspector.inspect(candidate(32), failed).trial;
  EXPECT_EQ(trial.outcome, Outcome::pruned);
  EXPECT_EQ(trial.rule, "too many registers");
  ASSERT_TRUE(trial.resources) << "reports count it among the compiled";
  EXPECT_EQ(*trial.resources, Resources{});
  copy.implementation.remarks.clear();
  EXPECT_EQ(inspector.inspect(candidate(32), failed).trial.outcome, Outcome::compile_failed);
}

TEST_F(InspectorTest, CodeOfAnEarlierRunCountsAsSeen) {
  Trial earlier;
  earlier.outcome = Outcome::measured;
  earlier.code_hash = "-DBLOCK=64";
  inspector.remember(candidate(64, 0), earlier);
  EXPECT_EQ(inspector.inspect(candidate(64, 1), code(64)).trial.outcome, Outcome::duplicate);
}

// What a texture's fields say of its elements.
TEST(LaunchKey, DiffersWithEachFieldOfATexture) {
  const PlannedTexture plain{.index = 1, .lanes = 1, .dims = {16, 8}, .strides = {16}};
  std::vector<PlannedTexture> others(6, plain);
  others[0].index = 2;
  others[1].type = ElementType::float16;
  others[2].lanes = 4;
  others[3].dims = {8, 16};
  others[4].strides = {32};
  others[5].modes.filter = TextureFilter::linear;
  const auto key = [](const PlannedTexture& texture) {
    LaunchPlan plan;
    plan.textures = {texture};
    return launch_key("code", plan);
  };
  EXPECT_EQ(key(plain), key(plain));
  for (const PlannedTexture& other : others) EXPECT_NE(key(other), key(plain));
}

}  // namespace
}  // namespace tilewright::test
