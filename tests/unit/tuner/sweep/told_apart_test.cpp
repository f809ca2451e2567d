#include "tuner/sweep/devices/told_apart.hpp"

#include <gtest/gtest.h>

#include "tilewright/error.hpp"

namespace tilewright {
namespace {

using Kind = SimpleAnswer::Kind;

std::string refusal(const std::vector<SimpleAnswer>& answers) {
  Operation operation;
  operation.name = "softmax";
  try {
    require_told_apart(answers, operation);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

SimpleAnswer passing(Kind kind, std::size_t problem = 0) {
  return {
      .problem = problem, .output = "y", .kind = kind, .input = "x", .altered = 9, .passes = true};
}

TEST(ToldApart, ZerosAndInputsMustNotPassTheTunedProblem) {
  EXPECT_EQ(
      refusal({passing(Kind::zeros), passing(Kind::input)}),
      "operation 'softmax': its comparison would pass a kernel that does none of the work: "
      "zeros in place of 'y' (wrong in 9 elements, told apart in 0), input x in place of 'y' "
      "(wrong in 9 elements, told apart in 0). Give a tolerance that suits the outputs "
      "('absolute', 'scale' or 'reduction' of [operation.compare], 'atol' of tune_kernel), or "
      "other inputs ('fill', or your arrays)");
}

TEST(ToldApart, SmallErrorsAndOtherProblemsMayPass) {
  EXPECT_EQ(refusal({passing(Kind::missing_term), passing(Kind::scaled), passing(Kind::zeros, 1)}),
            "");
}

TEST(ToldApart, WhatIsRightDoesNotCount) {
  SimpleAnswer copied = passing(Kind::input);
  copied.altered = 0;
  EXPECT_EQ(refusal({copied}), "");
}

TEST(ToldApart, EachSimpleAnswerHasAName) {
  EXPECT_EQ(name_of(passing(Kind::zeros)), "zeros");
  EXPECT_EQ(name_of(passing(Kind::input)), "input x");
  EXPECT_EQ(name_of(passing(Kind::missing_term)), "missing term");
  EXPECT_EQ(name_of(passing(Kind::scaled)), "1.01 times");
}

}  // namespace
}  // namespace tilewright
