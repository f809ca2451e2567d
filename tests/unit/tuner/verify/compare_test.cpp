#include "tuner/verify/compare.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <numeric>

#include "tests/unit/tuner/verify/samples.hpp"

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
                         const PlannedComparison& rules = {}) {
  return compare_output(
      to_bytes(output),
      make_buffer("c", static_cast<std::int64_t>(output.size()), type, ArgumentRole::output),
      expected, rules);
}

OutputComparison compare_floats(const std::vector<float>& output, const Expected& expected,
                                const PlannedComparison& rules = {}) {
  return compare(output, expected, ElementType::float32, rules);
}

TEST(CompareOutput, AllowsScaleTimesEpsilonTimesReductionPlusFourReferences) {
  PlannedComparison rules;
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

  PlannedComparison reduced;
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
  PlannedComparison rules;
  rules.reduction = 1 << 30;
  EXPECT_EQ(compare<std::int32_t>({-7}, all_of({-7}), ElementType::int32, rules).message, "");
  const auto off_by_one = compare<std::int32_t>({-6}, all_of({-7}), ElementType::int32, rules);
  EXPECT_NE(off_by_one.message.find("c[0] is -6; expected -7"), std::string::npos)
      << off_by_one.message;
  EXPECT_GT(off_by_one.worst_ratio, 1);
}

// What a reference kernel wrote.
template <class T>
OutputComparison compare_to(const std::vector<T>& output, const std::vector<T>& right,
                            ElementType type, const PlannedComparison& rules = {}) {
  Expected expected = all_of(std::vector<double>(right.size()));
  expected.values.clear();
  expected.rounded = to_bytes(right);
  return compare(output, expected, type, rules);
}

TEST(CompareOutput, IntegersOf64BitsAreExact) {
  constexpr std::int64_t kLarge = (std::int64_t{1} << 53) + 1;
  EXPECT_EQ(compare_to<std::int64_t>({kLarge}, {kLarge}, ElementType::int64).message, "");
  EXPECT_EQ(compare_to<std::int64_t>({kLarge - 1}, {kLarge}, ElementType::int64).message,
            "c[0] is 9007199254740992; expected 9007199254740993 ± 0");
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(compare_to<std::int64_t>({kLeast}, {-(kLeast + 1)}, ElementType::int64).worst_error,
            0x1p64);
  EXPECT_EQ(compare_to<std::uint8_t>({3}, {250}, ElementType::uint8).worst_error, 247);
}

TEST(CompareOutput, IntegersMayBeWithinATolerance) {
  PlannedComparison rules;
  rules.tolerance = 2;
  rules.scale = 100;  // of floating-point numbers only
  EXPECT_EQ(compare<std::int8_t>({5, -9}, all_of({7, -7}), ElementType::int8, rules).message, "");
  EXPECT_EQ(compare<std::int8_t>({4, -9}, all_of({7, -7}), ElementType::int8, rules).message,
            "c[0] is 4; expected 7 ± 2");
  EXPECT_EQ(compare_to<std::int8_t>({5}, {7}, ElementType::int8, rules).message, "");
  EXPECT_NE(compare_floats({5}, all_of({7}), rules).message, "");
}

TEST(CompareOutput, AShareMayBeWrong) {
  PlannedComparison rules;
  rules.mismatches = 0.29;
  std::vector<float> output(100, 1);
  std::fill_n(output.begin(), 29, 2.0F);
  const Expected right = all_of(std::vector<double>(100, 1));
  EXPECT_EQ(compare_floats(output, right, rules).message, "");
  EXPECT_GT(compare_floats(output, right, rules).worst_ratio, 1);
  output[29] = 2;
  const auto beyond = compare_floats(output, right, rules);
  EXPECT_NE(beyond.message.find("c[0] is 2; expected 1"), std::string::npos) << beyond.message;
  EXPECT_NE(beyond.message.find("(30 of 100 compared are wrong; 29 may be)"), std::string::npos)
      << beyond.message;
  EXPECT_NE(compare_floats({2}, all_of({1}), rules).message.find("(1 of 1 compared are wrong; 0"),
            std::string::npos);
  // What is counted is what is compared.
  const Expected three{0, {0, 50, 51, 52}, {1, 1, 1, 1}};
  EXPECT_EQ(compare_floats(output, three, rules).message, "");
  rules.mismatches = 1;
  EXPECT_NE(compare_floats({kNaN, 1}, all_of({1, 1}), rules).message.find("c[0] is NaN"),
            std::string::npos);
}

TEST(CompareOutput, ComplexNumbersAreComparedAsSuch) {
  using Complex = std::complex<float>;
  const auto message = [](Complex got) {
    return compare_to<Complex>({{1, 1}, got}, {{1, 1}, {3, -4}}, ElementType::complex64).message;
  };
  EXPECT_EQ(message({3, -4}), "");
  EXPECT_EQ(message({3, -4 + 5 * 0x1p-21F}), "");  // 20 of the 21 steps that |3 − 4i| allows
  EXPECT_NE(message({3, -4 + 6 * 0x1p-21F}), "");
  EXPECT_NE(message({3, 4}).find("c[1] is 3+4i; expected 3-4i ± "), std::string::npos)
      << message({3, 4});
  EXPECT_NE(message({kNaN, -4}).find("NaN"), std::string::npos);
  PlannedComparison rules;
  rules.reduced = true;
  EXPECT_EQ(compare_to<Complex>({{1, 2}, {3, 4}}, {{3, 4}, {1, 2}}, ElementType::complex64, rules)
                .message,
            "");
  EXPECT_NE(compare_to<Complex>({{1, 2}}, {{1, -2}}, ElementType::complex64, rules)
                .message.find("the sum over c is 1+2i; expected 1-2i"),
            std::string::npos);
}

TEST(CompareOutput, SumsMayHaveAnotherType) {
  PlannedComparison rules;
  rules.reduction = 100;
  const std::vector<float> output = {1 + 50 * 0x1p-23F};
  EXPECT_EQ(compare_floats(output, all_of({1}), rules).message, "");
  rules.sums = 0x1p-52;  // and the output rounded once
  EXPECT_NE(compare_floats(output, all_of({1}), rules).message, "");
  EXPECT_EQ(compare_floats({1 + 0x1p-23F}, all_of({1 + 0x1p-24}), rules).message, "");
  EXPECT_NE(compare_floats({1 + 0x1p-23F}, all_of({1 + 0x1p-25}), rules).message, "");
  rules.sums = 0x1p-23;
  EXPECT_EQ(compare<double>({1 + 50 * 0x1p-23}, all_of({1}), ElementType::float64, rules).message,
            "");
}

TEST(CompareOutput, ReducedComparesTheSums) {
  PlannedComparison rules;
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
