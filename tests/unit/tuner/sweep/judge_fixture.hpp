#pragma once

#include <gtest/gtest.h>

#include "tests/unit/tuner/sweep/fakes.hpp"
#include "tuner/sweep/devices/judge.hpp"
#include "tuner/sweep/prepare/inspector.hpp"

namespace tilewright::test {

// A judge whose evaluator is a fake.
class JudgeTest : public ::testing::Test {
 protected:
  KernelPlan kernel(std::int64_t block) {
    const Candidate candidate{&copy.implementation, {{{"BLOCK", block}, {"UNUSED", 0}}}};
    return Inspector(copy.request, {copy.request.problem}).plan(candidate, CompileResult{});
  }
  Trial screen(std::int64_t block) {
    Trial trial;
    judge.screen(trial, kernel(block));
    return trial;
  }

  CopyDefinition copy;
  FakeEvaluator evaluator;
  Judge judge{copy.request, evaluator};
};

}  // namespace tilewright::test
