#include "tuner/verify/compare.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "tests/unit/verify/samples.hpp"

namespace tilewright {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

Expected all_of(std::vector<double> values) {
  Expected expected{0, std::vector<std::int64_t>(values.size()), std::move(values)};
  std::iota(expected.elements.begin(), expected.elements.end(), 0);
  return expected;
}

template <class T>
OutputComparison compare(const std::vector<T>& output, const Expected& expected, ElementType type,
                         const ReferencePlan& rules = {}) {
  return compare_output(
      to_bytes(output),
      make_buffer("c", static_cast<std::int64_t>(output.size()), type, ArgumentRole::output),
      expected, rules);
}

OutputComparison compare_floats(const std::vector<float>& output, const Expected& expected,
                                const ReferencePlan& rules = {}) {
  return compare(output, expected, ElementType::float32, rules);
}

TEST(CompareOutput, AllowsScaleTimesEpsilonTimesReductionPlusFourReferences) {
  ReferencePlan rules;
  rules.reduction = 8;
  rules.scale = 2;
  const double allowed = 2 * 0x1p-23 * (8 + 4 * 1);
  const auto within = compare_floats({static_cast<float>(1 + allowed)}, all_of({1}), rules);
  EXPECT_EQ(within.message, "");
  EXPECT_DOUBLE_EQ(within.worst_error, allowed);
  EXPECT_DOUBLE_EQ(within.worst_ratio, 1);
  EXPECT_EQ(within.checked, 1);

  const auto beyond =
      compare_floats({static_cast<float>(1 + allowed + 0x1p-23)}, all_of({1}), rules);
  EXPECT_NE(beyond.message, "");
  EXPECT_GT(beyond.worst_ratio, 1);
}

TEST(CompareOutput, UsesTheEpsilonOfTheType) {
  EXPECT_NE(compare<double>({1 + 1e-9}, all_of({1}), ElementType::float64).message, "");
  EXPECT_EQ(compare<double>({1 + 1e-15}, all_of({1}), ElementType::float64).message, "");
}

TEST(CompareOutput, NamesTheFirstWrongElement) {
  std::vector<float> output(100000, 1);
  output[70001] = 2.5F;
  output[99999] = 9;
  const auto result = compare_floats(output, all_of(std::vector<double>(100000, 1)));
  EXPECT_NE(result.message.find("c[70001] is 2.5; expected 1 ± "), std::string::npos)
      << result.message;
  EXPECT_NE(result.message.find("2 of 100000"), std::string::npos) << result.message;
  EXPECT_EQ(result.worst_error, 8);
}

TEST(CompareOutput, NaNFailsWhereverItStands) {
  std::vector<float> output(50000, 1);
  output[40000] = kNaN;
  const Expected only_first{0, {0}, {1}};
  const auto result = compare_floats(output, only_first);
  EXPECT_NE(result.message.find("c[40000] is NaN"), std::string::npos) << result.message;
  EXPECT_GT(result.worst_ratio, 1);
  EXPECT_TRUE(std::isfinite(result.worst_error));

  ReferencePlan reduced;
  reduced.reduced = true;
  EXPECT_NE(compare_floats(output, only_first, reduced).message, "");
  EXPECT_NE(compare_floats({kNaN}, all_of({std::nan("")})).message, "");
}

TEST(CompareOutput, PoisonIsNaN) {
  const std::vector<std::uint8_t> poisoned(8, kPoison);
  const auto buffer = make_buffer("c", 2, ElementType::float32, ArgumentRole::output);
  EXPECT_NE(compare_output(poisoned, buffer, all_of({0, 0}), {}).message, "");
}

TEST(CompareOutput, InfinityIsRightOnlyWhereItIsExpected) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(compare_floats({kInfinity}, all_of({infinity})).message, "");
  EXPECT_NE(compare_floats({kInfinity}, all_of({1})).message, "");
  EXPECT_NE(compare_floats({-kInfinity}, all_of({infinity})).message, "");
  EXPECT_NE(compare_floats({1}, all_of({infinity})).message, "");
}

TEST(CompareOutput, IntegersMustBeEqual) {
  ReferencePlan rules;
  rules.reduction = 1 << 30;
  EXPECT_EQ(compare<std::int32_t>({-7}, all_of({-7}), ElementType::int32, rules).message, "");
  const auto off_by_one = compare<std::int32_t>({-6}, all_of({-7}), ElementType::int32, rules);
  EXPECT_NE(off_by_one.message.find("c[0] is -6; expected -7"), std::string::npos)
      << off_by_one.message;
  EXPECT_GT(off_by_one.worst_ratio, 1);
}

TEST(CompareOutput, ReducedComparesTheSums) {
  ReferencePlan rules;
  rules.reduced = true;
  EXPECT_EQ(compare_floats({3, 1, 2}, all_of({1, 2, 3}), rules).message, "");
  const auto wrong = compare_floats({3, 1, 2.5F}, all_of({1, 2, 3}), rules);
  EXPECT_NE(wrong.message.find("sum"), std::string::npos);
  EXPECT_EQ(wrong.worst_error, 0.5);
}

TEST(FirstDamage, FindsTheFirstChangedByte) {
  std::vector<std::uint8_t> guard(kGuardBytes, kGuardByte);
  EXPECT_EQ(first_damage(guard), std::nullopt);
  guard[4000] = 0;
  guard[77] = 1;
  EXPECT_EQ(first_damage(guard), 77);
}

}  // namespace
}  // namespace tilewright
