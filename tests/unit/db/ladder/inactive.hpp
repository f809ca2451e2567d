#pragma once

#include <gtest/gtest.h>

#include "db/ladder/ladder.hpp"
#include "definition/problem.hpp"

namespace tilewright::test {

// Kernels count on it, and no two configurations of a space are the same code.
inline void expect_inactive_at_default(const LadderAnswer& answer, const LadderQuestion& question) {
  const Scope scope = full_scope(question.problem, answer.configuration, *question.device);
  for (const Parameter& parameter : answer.implementation->parameters) {
    if (!parameter.active ||
        *find_value(answer.configuration, parameter) == parameter.default_value)
      continue;
    EXPECT_TRUE(parameter.active->is_true(scope))
        << answer.implementation->full_name() << ": " << parameter.name << " in "
        << to_text(answer.configuration.values) << " for " << to_text(question.problem.values);
  }
}

}  // namespace tilewright::test
