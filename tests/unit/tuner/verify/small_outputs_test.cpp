// Outputs far below 1, whose tolerance follows their own size.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <vector>

#include "tests/unit/tuner/verify/samples.hpp"
#include "tuner/verify/compare.hpp"
#include "tuner/verify/fill.hpp"

namespace tilewright {
namespace {

Expected expected_of(const std::vector<float>& right) {
  std::vector<std::int64_t> elements(right.size());
  std::iota(elements.begin(), elements.end(), std::int64_t{0});
  return expected_from(to_bytes(right), make_buffer("y", static_cast<std::int64_t>(right.size())),
                       0, elements);
}

OutputComparison compare(const std::vector<float>& output, const std::vector<float>& right,
                         const PlannedComparison& rules) {
  return compare_output(to_bytes(output),
                        make_buffer("y", static_cast<std::int64_t>(output.size()),
                                    ElementType::float32, ArgumentRole::output),
                        expected_of(right), rules);
}

// The softmax of one row.
std::vector<float> probabilities(std::size_t columns) {
  std::vector<float> all(columns);
  double sum = 0;
  for (std::size_t i = 0; i < columns; ++i)
    sum += std::exp(elements::random_unit(7, static_cast<std::int64_t>(i)));
  for (std::size_t i = 0; i < columns; ++i)
    all[i] =
        static_cast<float>(std::exp(elements::random_unit(7, static_cast<std::int64_t>(i))) / sum);
  return all;
}

TEST(SmallOutputs, ZerosAreNoSoftmax) {
  PlannedComparison rules;
  rules.reduction = 40000;
  const std::vector<float> right = probabilities(40000);
  EXPECT_EQ(compare(right, right, rules).message, "");
  const OutputComparison zeros = compare(std::vector<float>(right.size()), right, rules);
  EXPECT_EQ(zeros.wrong, static_cast<std::int64_t>(right.size()));
  EXPECT_NE(zeros.message, "");
}

TEST(SmallOutputs, FewOfThemMayBeSmallByChance) {
  PlannedComparison rules;
  rules.reduction = 1000;
  const auto error = static_cast<float>(900 * 0x1p-23);
  EXPECT_EQ(compare(std::vector<float>(31, error), std::vector<float>(31, 1e-9F), rules).wrong, 0);
  EXPECT_EQ(compare(std::vector<float>(32, error), std::vector<float>(32, 1e-9F), rules).wrong, 32);
  EXPECT_EQ(compare(std::vector<float>(32, error), std::vector<float>(32, 0), rules).wrong, 0);
}

TEST(SmallOutputs, WhatTheAuthorAllowsCounts) {
  const std::vector<double> right(40, 1e-9);
  const auto judge = [&](double output, double absolute, double relative) {
    PlannedComparison rules;
    rules.absolute = absolute;
    rules.relative = relative;
    const std::vector<std::int64_t> first = {0, 1, 2};
    const PlannedBuffer buffer = make_buffer("y", 40, ElementType::float64, ArgumentRole::output);
    return compare_output(to_bytes(std::vector<double>(40, output)), buffer,
                          expected_from(to_bytes(right), buffer, 0, first), rules)
        .wrong;
  };
  EXPECT_EQ(judge(0, 1e-14, 1e-5), 3);
  EXPECT_EQ(judge(1e-9 + 1.5e-14, 1e-14, 1e-5), 0);
  EXPECT_EQ(judge(1e-9 + 2.5e-14, 1e-14, 1e-5), 3);
  EXPECT_EQ(judge(1e-9 + 1e-3, 1.1e-3, 0), 0);
  EXPECT_EQ(judge(1e-9 + 1e-12, -1, 1e-2), 0);
}

TEST(SmallOutputs, WhatTheAuthorAllowsCountsInEveryType) {
  const PlannedBuffer buffer = make_buffer("y", 1, ElementType::bfloat16, ArgumentRole::output);
  PlannedComparison rules;
  rules.absolute = 1e-3;
  rules.relative = 1e-5;
  const auto right = to_bytes(std::vector<BFloat16>{BFloat16(1.0)});
  const auto above = to_bytes(std::vector<BFloat16>{BFloat16(1.0078125)});
  const Expected expected = expected_from(right, buffer, 0, {0});
  EXPECT_EQ(compare_output(right, buffer, expected, rules).wrong, 0);
  EXPECT_EQ(compare_output(above, buffer, expected, rules).wrong, 1);
}

constexpr std::uint32_t kAllBits = ~0U;
constexpr std::uint32_t kTf32 = ~0U << 13;

float with_bits(float value, std::uint32_t bits) {
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) & bits);
}

// The greatest error of what is allowed, for sums of so many products of random numbers in [-1, 1),
// of which a kernel reads some bits.
double worst_of_sums(std::int64_t terms, std::int64_t count, std::uint64_t seed,
                     std::uint32_t bits) {
  const auto draw = [&](int argument, std::int64_t i) {
    return static_cast<float>(2 * elements::random_unit(elements::stream_of(seed, argument), i) -
                              1);
  };
  std::vector<float> output(static_cast<std::size_t>(count)), right = output;
  for (std::int64_t i = 0; i < count; ++i) {
    double exact = 0;
    volatile float sum = 0;
    for (std::int64_t k = i * terms; k < (i + 1) * terms; ++k) {
      exact += static_cast<double>(draw(0, k)) * draw(1, k);
      const volatile float product = with_bits(draw(0, k), bits) * with_bits(draw(1, k), bits);
      sum = sum + product;
    }
    output[static_cast<std::size_t>(i)] = sum;
    right[static_cast<std::size_t>(i)] = static_cast<float>(exact);
  }
  PlannedComparison rules;
  rules.reduction = terms;
  if (bits == kTf32) {  // as gemm has it
    rules.scale = 2;
    rules.cut = 0x1p-10;
  }
  return compare(output, right, rules).worst_ratio;
}

TEST(SmallOutputs, SumsOfFewProductsAreRight) {
  double worst = 0;
  double worst_cut = 0;
  for (std::int64_t terms = 1; terms <= 9; ++terms)
    for (const std::int64_t count : {1, 2, 31, 32, 64})
      for (std::uint64_t seed = 0; seed < 200; ++seed) {
        worst = std::max(worst, worst_of_sums(terms, count, seed, kAllBits));
        worst_cut = std::max(worst_cut, worst_of_sums(terms, count, seed, kTf32));
      }
  EXPECT_LT(worst, 0.3);
  EXPECT_LT(worst_cut, 0.4);
}

}  // namespace
}  // namespace tilewright
