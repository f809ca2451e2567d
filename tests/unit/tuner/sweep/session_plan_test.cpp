#include "tuner/sweep/prepare/session_plan.hpp"
#include "tuner/sweep/prepare/services.hpp"

#include <gtest/gtest.h>

#include "tests/unit/tuner/sweep/fakes.hpp"
#include "tilewright/error.hpp"

namespace tilewright::test {
namespace {

Configuration block_of(std::int64_t threads) {
  return {{{"BLOCK", threads}, {"UNUSED", std::int64_t{0}}}};
}

TEST(SessionPlanTest, ChecksFollowTheTunedProblem) {
  CopyDefinition copy;
  copy.operation.checks = {{{"N", 7}}, {{"N", 1000}}, {{"N", 1}}};
  const auto problems = problems_to_verify(copy.request);
  ASSERT_EQ(problems.size(), 3u);  // N = 1000 is the tuned problem itself
  EXPECT_EQ(problems[0], copy.request.problem);
  EXPECT_EQ(std::get<std::int64_t>(problems[1].values.at("N")), 7);
  EXPECT_EQ(std::get<std::int64_t>(problems[2].values.at("N")), 1);
}

TEST(SessionPlanTest, CompiledInDimensionsKeepTheTunedValue) {
  CopyDefinition copy;
  copy.implementation.compiled_in = {{"N", Expression(1)}};
  EXPECT_EQ(problems_to_verify(copy.request).size(), 1u);
}

// Then there are copies with a batch, and the check has a batch of 3.
void add_batch(CopyDefinition& copy) {
  Dimension batch;
  batch.name = "batch";
  copy.operation.dimensions.push_back(batch);
  copy.operation.arguments.back().count = Expression::parse("N * batch");
  copy.operation.checks = {{{"N", 7}, {"batch", 3}}};
  copy.request.problem.values["batch"] = std::int64_t{1};
}

// Of a check that keeps N, which is compiled in, the batch would be all of the time.
TEST(SessionPlanTest, ChecksOfLargeProblemsAreNoLarger) {
  CopyDefinition copy;
  add_batch(copy);
  copy.implementation.compiled_in = {{"N", Expression(1)}};
  const auto batches = [&](std::int64_t tuned, std::int64_t n) {
    copy.request.problem.values["N"] = n;
    copy.request.problem.values["batch"] = tuned;
    std::vector<std::int64_t> found;
    for (const Problem& problem : problems_to_verify(copy.request))
      found.push_back(std::get<std::int64_t>(problem.values.at("batch")));
    return found;
  };
  using Batches = std::vector<std::int64_t>;
  EXPECT_EQ(batches(1, 1'000), (Batches{1, 3}));
  EXPECT_EQ(batches(1, 2'000'000), (Batches{1})) << "the tuned problem itself";
  EXPECT_EQ(batches(2, 2'000'000), (Batches{2}));
  EXPECT_EQ(batches(4, 2'000'000), (Batches{4, 3}));
}

TEST(SessionPlanTest, WhatTheReferenceCompilesInKeepsTheTunedValue) {
  CopyDefinition copy;
  copy.operation.reference.compiled_in = {"N"};
  EXPECT_EQ(problems_to_verify(copy.request).size(), 1u);
}

// The code of a unit whose macro has another value is not the one that was compiled.
TEST(SessionPlanTest, MacrosOfUnitsKeepTheTunedValue) {
  CopyDefinition copy;
  const auto launches_of_checks = [&](const std::string& macro) {
    copy.implementation.units = {{"low", {}, {{"A", Expression::parse(macro)}}}};
    const auto problems = problems_to_verify(copy.request);
    EXPECT_EQ(problems.size(), 2u);
    return plan_kernel(copy.request, copy.implementation, block_of(64), problems, {})
        .launches.back()
        .launches.size();
  };
  EXPECT_EQ(launches_of_checks("BLOCK"), 1u);
  EXPECT_EQ(launches_of_checks("N > 5"), 1u);  // as for N = 1000
  EXPECT_EQ(launches_of_checks("N > 100"), 0u);
}

TEST(SessionPlanTest, CheckThatCompiledInValuesMakeImpossibleIsLeftOut) {
  CopyDefinition copy;
  Dimension pitch;
  pitch.name = "pitch";
  pitch.computed_default = Expression::parse("N");
  pitch.computed_minimum = Expression::parse("N");
  copy.operation.dimensions.push_back(pitch);
  copy.request.problem.values["pitch"] = copy.request.problem.values.at("N");
  copy.operation.checks = {{{"N", 7}, {"pitch", 8}}};
  EXPECT_EQ(problems_to_verify(copy.request).size(), 2u);
  EXPECT_TRUE(impossible_checks(copy.request).empty());
  copy.implementation.compiled_in = {{"N", Expression(1)}};
  EXPECT_EQ(problems_to_verify(copy.request).size(), 1u);
  EXPECT_EQ(impossible_checks(copy.request), copy.operation.checks);
  copy.implementation.compiled_in.clear();
  copy.operation.checks = {{{"N", 7}, {"pitch", 6}}};
  EXPECT_THROW(problems_to_verify(copy.request), InputError);
}

TEST(SessionPlanTest, SessionHoldsBuffersOfEachProblem) {
  const CopyDefinition copy;
  const auto problems = problems_to_verify(copy.request);
  const SessionPlan session = plan_session(copy.request, problems, {}, {1, 2});
  ASSERT_EQ(session.problems.size(), 2u);
  EXPECT_EQ(session.problems[0].buffers.at(0).count, 1000);
  EXPECT_EQ(session.problems[1].buffers.at(0).count, 7);
  EXPECT_EQ(session.problems[0].reference.builtin, "copy");
  EXPECT_EQ(session.probe_code.size(), 2u);
}

TEST(SessionPlanTest, GivenDataAreOfTheTunedProblemAlone) {
  CopyDefinition copy;
  Argument in;
  in.name = "in";
  copy.operation.arguments.insert(copy.operation.arguments.begin(), in);
  copy.request.given.inputs["in"] = "/data/in";
  copy.request.given.expected["out"] = "/data/out";
  const SessionPlan session = plan_session(copy.request, problems_to_verify(copy.request), {}, {});
  EXPECT_EQ(session.problems[0].buffers.at(0).fill.kind, Fill::Kind::file);
  EXPECT_EQ(session.problems[0].buffers.at(0).fill.file, "/data/in");
  EXPECT_EQ(session.problems[0].reference.given.at(1), "/data/out");
  EXPECT_NE(session.problems[1].buffers.at(0).fill.kind, Fill::Kind::file);
  EXPECT_TRUE(session.problems[1].reference.given.empty());
}

TEST(SessionPlanTest, KernelsFillWhatNobodyGave) {
  CopyDefinition copy;
  Argument in;
  in.name = "in";
  in.count = Expression::parse("N");
  copy.operation.arguments.insert(copy.operation.arguments.begin(), in);
  Launch launch;
  launch.entry = "fill";
  launch.grid[0] = Expression::parse("N");
  launch.arguments.push_back({LaunchArgument::Kind::argument, "in", {}, ElementType::int32});
  copy.operation.kernel_fills["in"].source = copy.implementation.source;
  copy.operation.kernel_fills["in"].launches = {launch};
  const auto problems = problems_to_verify(copy.request);
  EXPECT_THROW(plan_session(copy.request, problems, {}, {}), InputError);
  CompileResult code;
  code.code = {7};
  SessionPlan session = plan_session(copy.request, problems, {}, {}, {{"in", code}});
  ASSERT_EQ(session.problems[1].fills.size(), 1u);
  EXPECT_EQ(session.problems[1].fills[0].argument, 0);
  EXPECT_EQ(session.problems[1].fills[0].code, code.code);
  EXPECT_EQ(session.problems[1].fills[0].launches.launches.at(0).grid[0], 7);
  copy.request.given.inputs["in"] = "/data/in";
  session = plan_session(copy.request, problems, {}, {}, {{"in", code}});
  EXPECT_TRUE(session.problems[0].fills.empty());
  EXPECT_EQ(session.problems[1].fills.size(), 1u);
  EXPECT_EQ(fill_requests(copy.request).at("in").entries, std::vector<std::string>{"fill"});
}

TEST(SessionPlanTest, WithoutAReferenceTheTunedProblemAloneIsJudged) {
  CopyDefinition copy;
  copy.operation.reference = {};
  EXPECT_EQ(problems_to_verify(copy.request).size(), 1u);
}

TEST(SessionPlanTest, KernelHasOnePlanForEachProblem) {
  const CopyDefinition copy;
  const auto problems = problems_to_verify(copy.request);
  const KernelPlan kernel =
      plan_kernel(copy.request, copy.implementation, block_of(64), problems, {});
  ASSERT_EQ(kernel.launches.size(), 2u);
  EXPECT_EQ(kernel.launches[0].launches.at(0).grid[0], 16);
  EXPECT_EQ(kernel.launches[1].launches.at(0).grid[0], 1);
}

// Some configurations compile N in.
TEST(SessionPlanTest, KernelRunsOneProblemOfEachCheck) {
  CopyDefinition copy;
  add_batch(copy);
  copy.implementation.compiled_in = {{"N", Expression::parse("BLOCK == 64")}};
  const auto problems = problems_to_verify(copy.request);
  ASSERT_EQ(problems.size(), 3u);
  const auto launches = [&](std::int64_t block) {
    std::vector<std::size_t> counts;
    for (const LaunchPlan& plan :
         plan_kernel(copy.request, copy.implementation, block_of(block), problems, {}).launches)
      counts.push_back(plan.launches.size());
    return counts;
  };
  using Counts = std::vector<std::size_t>;
  EXPECT_EQ(launches(32), (Counts{1, 1, 0})) << "N = 7 has a batch of 3, too";
  EXPECT_EQ(launches(64), (Counts{1, 0, 1}));
}

TEST(SessionPlanTest, CheckThatBreaksAConstraintIsLeftOut) {
  CopyDefinition copy;
  copy.implementation.constraints = {{Expression::parse("N % 2 == 0"), "N is even"}};
  const auto problems = problems_to_verify(copy.request);
  const KernelPlan kernel =
      plan_kernel(copy.request, copy.implementation, block_of(64), problems, {});
  EXPECT_EQ(kernel.launches[0].launches.size(), 1u);
  EXPECT_TRUE(kernel.launches[1].launches.empty());
}

}  // namespace
}  // namespace tilewright::test
