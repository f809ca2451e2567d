// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tuner/sweep/candidates.hpp"

#include <gtest/gtest.h>

#include "tests/unit/sweep/fakes.hpp"

namespace tilewright::testing {
namespace {

TEST(CandidatesTest, NumbersConfigurationsAndFindsThem) {
  const CopyDefinition copy;
  Candidates candidates;
  candidates.add(copy.implementation, build_space(copy.operation, copy.implementation,
                                                  copy.request.problem, copy.request.device));
  ASSERT_EQ(candidates.size(), 6u);
  for (std::size_t i = 0; i < candidates.size(); ++i)
    EXPECT_EQ(candidates.find("copy/plain", candidates[i].configuration), i);
  EXPECT_FALSE(candidates.find("copy/other", candidates[0].configuration));
}

TEST(CandidatesTest, DefaultThenLegalSeedsComeFirst) {
  CopyDefinition copy;
  copy.implementation.seeds = {{{"BLOCK", 128}}, {{"BLOCK", 2048}}, {{"BLOCK", 64}}};
  Candidates candidates;
  candidates.add(copy.implementation, build_space(copy.operation, copy.implementation,
                                                  copy.request.problem, copy.request.device));
  const auto first = candidates.worth_trying_first();
  ASSERT_EQ(first.size(), 2u);  // 2048 threads are not legal, 64 is the default
  EXPECT_EQ(candidates[first[0]].configuration, default_configuration(copy.implementation));
  EXPECT_EQ(candidates[first[1]].configuration.values.at("BLOCK"), Value(std::int64_t{128}));
}

}  // namespace
}  // namespace tilewright::testing
