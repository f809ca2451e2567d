#include "tuner/verify/checked_problem.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <numeric>

#include "tests/unit/tuner/verify/samples.hpp"
#include "tuner/verify/fill.hpp"

namespace tilewright {
namespace {

using Kind = SimpleAnswer::Kind;

// What is found out about an operation y = f(x) whose right answers are `right`.
template <class T>
std::vector<SimpleAnswer> answers_for(const std::vector<T>& x, const std::vector<T>& right,
                                      ElementType type, const PlannedComparison& rules = {}) {
  const auto count = static_cast<std::int64_t>(right.size());
  std::vector<PlannedBuffer> buffers = {make_buffer("x", static_cast<std::int64_t>(x.size()), type),
                                        make_buffer("y", count, type, ArgumentRole::output)};
  std::vector<std::int64_t> elements(right.size());
  std::iota(elements.begin(), elements.end(), std::int64_t{0});
  std::vector<SimpleAnswer> all;
  add_simple_answers(2, buffers, {to_bytes(x), {}},
                     expected_from(to_bytes(right), buffers[1], 1, elements), rules, all);
  return all;
}

template <class T>
std::vector<T> numbers(std::size_t count, T first, T step) {
  std::vector<T> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(static_cast<T>(first + step * T(i)));
  return all;
}

void expect_answer(const SimpleAnswer& answer, Kind kind, std::int64_t altered, std::int64_t told) {
  EXPECT_EQ(answer.problem, 2U);
  EXPECT_EQ(answer.output, "y");
  EXPECT_EQ(answer.kind, kind);
  EXPECT_EQ(answer.altered, altered);
  EXPECT_EQ(answer.told, told);
  EXPECT_EQ(answer.passes, told == 0);
}

TEST(SimpleAnswers, AreFoundByATightTolerance) {
  PlannedComparison rules;
  rules.reduction = 10;
  const auto all = answers_for(numbers<float>(200, 5, 1), numbers<float>(200, 1, 0.5F),
                               ElementType::float32, rules);
  ASSERT_EQ(all.size(), 4U);
  expect_answer(all[0], Kind::zeros, 200, 200);
  expect_answer(all[1], Kind::input, 200, 200);
  EXPECT_EQ(all[1].input, "x");
  expect_answer(all[2], Kind::missing_term, 2, 2);
  expect_answer(all[3], Kind::scaled, 200, 200);
}

TEST(SimpleAnswers, PassWhereTheToleranceIsAboveTheOutputs) {
  PlannedComparison rules;
  rules.absolute = 1000;
  for (const SimpleAnswer& answer : answers_for(
           numbers<float>(100, 5, 1), numbers<float>(100, 1, 1), ElementType::float32, rules)) {
    EXPECT_GT(answer.altered, 0);
    EXPECT_EQ(answer.told, 0);
    EXPECT_TRUE(answer.passes);
  }
}

TEST(SimpleAnswers, DoNotCountWhereTheyAreRight) {
  const auto x = numbers<float>(100, 1, 1);
  const auto copied = answers_for(x, x, ElementType::float32);
  EXPECT_FALSE(copied.at(1).counts());
  EXPECT_TRUE(copied.at(0).counts());
  for (const SimpleAnswer& answer :
       answers_for(std::vector<float>(3), std::vector<float>(100), ElementType::float32))
    EXPECT_FALSE(answer.counts());
}

TEST(SimpleAnswers, OfAnInputOfAnotherLengthThereAreNone) {
  EXPECT_EQ(
      answers_for(numbers<float>(99, 1, 1), numbers<float>(100, 1, 1), ElementType::float32).size(),
      3U);
}

TEST(SimpleAnswers, OfIntegersLackAtLeastOne) {
  PlannedComparison rules;
  rules.reduction = 1000;
  const auto exact = answers_for(numbers<std::uint8_t>(200, 0, 1), numbers<std::uint8_t>(200, 0, 1),
                                 ElementType::uint8, rules);
  expect_answer(exact.at(2), Kind::missing_term, 2, 2);
  expect_answer(exact.at(3), Kind::scaled, 100, 100);  // those from 100 on
  rules.tolerance = 1;
  const auto near = answers_for(numbers<std::uint8_t>(200, 0, 1), numbers<std::uint8_t>(200, 0, 1),
                                ElementType::uint8, rules);
  expect_answer(near.at(2), Kind::missing_term, 2, 0);
  expect_answer(near.at(3), Kind::scaled, 100, 0);
}

TEST(SimpleAnswers, AreNotAskedForWhereEveryElementMayBeWrong) {
  PlannedComparison rules;
  rules.mismatches = 1;
  EXPECT_TRUE(
      answers_for(numbers<float>(9, 1, 1), numbers<float>(9, 1, 1), ElementType::float32, rules)
          .empty());
  rules.mismatches = 0.5;
  const auto half = answers_for(numbers<float>(200, 5, 1), numbers<float>(200, 1, 1),
                                ElementType::float32, rules);
  EXPECT_FALSE(half.at(0).passes);
  EXPECT_EQ(half.at(2).told, 2);
  EXPECT_TRUE(half.at(2).passes);
}

TEST(SimpleAnswers, OfASumAreComparedAsASum) {
  PlannedComparison rules;
  rules.reduced = true;
  rules.reduction = 100;
  const auto all = answers_for(numbers<float>(100, 5, 1), numbers<float>(100, 1, 1),
                               ElementType::float32, rules);
  expect_answer(all.at(0), Kind::zeros, 100, 100);
  expect_answer(all.at(3), Kind::scaled, 100, 100);
}

TEST(SimpleAnswers, AreKnownForComplexAndForNarrowTypes) {
  const std::vector<std::complex<float>> right(40, {3, 4});
  const auto complex = answers_for(right, right, ElementType::complex64);
  expect_answer(complex.at(0), Kind::zeros, 40, 40);
  expect_answer(complex.at(3), Kind::scaled, 40, 40);
  const std::vector<Float8E4M3> narrow(40, Float8E4M3(3));
  const auto all = answers_for(narrow, narrow, ElementType::float8_e4m3);
  expect_answer(all.at(0), Kind::zeros, 40, 40);
  expect_answer(all.at(3), Kind::scaled, 0, 0);  // one step of the type is more than 1 %
}

}  // namespace
}  // namespace tilewright
