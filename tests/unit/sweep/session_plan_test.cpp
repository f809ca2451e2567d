// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tuner/sweep/session_plan.hpp"

#include <gtest/gtest.h>

#include "tests/unit/sweep/fakes.hpp"

namespace tilewright::testing {
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

TEST(SessionPlanTest, KernelHasOnePlanForEachProblem) {
  const CopyDefinition copy;
  const auto problems = problems_to_verify(copy.request);
  const KernelPlan kernel =
      plan_kernel(copy.request, copy.implementation, block_of(64), problems, {});
  ASSERT_EQ(kernel.launches.size(), 2u);
  EXPECT_EQ(kernel.launches[0].launches.at(0).grid[0], 16);
  EXPECT_EQ(kernel.launches[1].launches.at(0).grid[0], 1);
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
}  // namespace tilewright::testing
