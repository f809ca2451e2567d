#include "definition/metric.hpp"

#include <gtest/gtest.h>

#include "definition/expression/expression.hpp"
#include "tests/unit/definition/manifest/manifest_fixture.hpp"

namespace tilewright {
namespace {

std::optional<double> value_of(const std::string& text) {
  const Settings settings = {{"N", 7}, {"kind", std::string("fast")}};
  const RealScope numbers = [](std::string_view name) {
    return name == "time" ? std::optional(0.5) : std::nullopt;
  };
  return real_value(Expression::parse_real(text), scope_over({&settings}), numbers);
}

TEST(RealValue, DividesExactlyAndKnowsRealLiterals) {
  EXPECT_EQ(value_of("N / 2"), 3.5);
  EXPECT_EQ(value_of("N / time / 1e9"), 7 / 0.5 / 1e9);
  EXPECT_EQ(value_of("1.50 * 2e-3"), 0.003);
  EXPECT_EQ(value_of("-2.5E+1"), -25);
  EXPECT_EQ(value_of("0.1"), 0.1);
  EXPECT_EQ(value_of("N % 4 + ceil_div(N, 2) + abs(-0.25)"), 7.25);
  EXPECT_EQ(value_of("min(N, 0.5, 3) + max(1, N)"), 7.5);
  EXPECT_EQ(value_of("kind == 'fast' && N > 6.5 ? 1 : 2"), 1);
  EXPECT_EQ(value_of("kind != 'fast' || !(N == 7) ? 1 : 2"), 2);
}

TEST(RealValue, IsNothingWhereThereIsNoFiniteNumber) {
  EXPECT_FALSE(value_of("N / 0"));
  EXPECT_FALSE(value_of("0 / 0"));
  EXPECT_FALSE(value_of("M"));
  EXPECT_FALSE(value_of("kind"));
  EXPECT_FALSE(value_of("M > 1 ? 1 : 2"));
  EXPECT_FALSE(
      value_of("9e18 * 9e18 * 9e18 * 9e18 * 9e18 * 9e18 * 9e18 * 9e18 * 9e18 * 9e18 * "
               "9e18 * 9e18 * 9e18 * 9e18 * 9e18 * 9e18 * 9e18 * 9e18"));
  EXPECT_EQ(value_of("N == 7 ? 1 : 1 / 0"), 1);
}

// Each part is worked out once, however deep comparisons nest.
TEST(RealValue, TakesNoLongerThanItsTextIsLong) {
  std::string text = "N";
  for (int i = 0; i < 60; ++i) text = "((" + text + " == 7 ? 1 : 0) == 1 ? 7 : 8)";
  EXPECT_EQ(value_of(text), 7);
}

TEST(RealValue, RefusesNumbersItCannotHold) {
  for (const char* text : {"1e19", "1e-19", "1.5.2", "2x", "1e", "99999999999999999999",
                           "0.12345678901234567890123", "1e99999999999999999999"})
    EXPECT_THROW(Expression::parse_real(text), ExpressionError) << text;
  EXPECT_THROW(Expression::parse("1.5"), ExpressionError);
}

class Metrics : public ManifestTest {
 protected:
  static std::string with(const std::string& metrics) {
    return changed("[operation.reference]", metrics + "\n[operation.reference]");
  }
  std::string error_with(const std::string& metrics) { return error_of(with(metrics)); }
};

const std::string kRate = R"([[operation.metric]]
name = "rate"
unit = "GFLOP/s"
value = "flops / time / 1e9 * BLOCK"
better = "higher"
)";

TEST_F(Metrics, AreWorkedOutFromTimeWorkAndParameters) {
  const Manifest manifest = read(with(kRate));
  const Operation& operation = manifest.operations.at(0);
  ASSERT_EQ(operation.metrics.size(), 1U);
  const Metric& metric = metric_named(operation, "rate");
  EXPECT_EQ(metric.unit, "GFLOP/s");
  EXPECT_EQ(metric.better, Metric::Better::higher);
  const Problem problem{operation.name, {{"length", 1000}, {"taps", 3}, {"boundary", "zero"}}};
  const Configuration configuration{{{"BLOCK", 64}}};
  const Device device;
  const std::string name = manifest.implementations[0].full_name();
  EXPECT_EQ(value_of(metric, operation, {problem, name, configuration, device, 1}),
            6000 / 1e-6 / 1e9 * 64);
  EXPECT_FALSE(value_of(metric, operation, {problem, name, configuration, device, 0}));
  EXPECT_FALSE(value_of(metric, operation, {problem, name, Configuration{}, device, 1}));
  EXPECT_THROW(metric_named(operation, "rates"), InputError);
}

TEST_F(Metrics, AreCheckedWhenTheManifestIsRead) {
  const auto expect = [&](const std::string& from, const std::string& to, const char* part) {
    std::string metrics = kRate;
    metrics.replace(metrics.find(from), from.size(), to);
    const std::string error = error_with(metrics);
    EXPECT_NE(error.find(part), std::string::npos) << error;
  };
  expect("BLOCK", "BLOK", "unknown name 'BLOK'; did you mean 'BLOCK'?");
  expect("1e9", "1e", "'value' is not an expression: numbers are decimal");
  expect("better = \"higher\"", "", "'better'");
  expect("\"higher\"", "\"more\"", "'better' cannot be 'more'");
  expect("\"rate\"", "\"time\"", "the name 'time' is used twice");
  expect("\"rate\"", "\"2nd\"", "is not a name");
  expect("\"GFLOP/s\"", "\"a\\nb\"", "on one line");
  expect("unit", "units", "did you mean 'unit'?");
  expect("flops / time", "LOADING / time", "a label stands where a number is needed");
  EXPECT_NE(error_with(kRate + kRate).find("the name 'rate' is used twice"), std::string::npos);
}

TEST_F(Metrics, DoNotConfuseWhatWasMeasuredWithANameOfTheOperation) {
  std::string text = with(kRate);
  for (std::size_t at = 0; (at = text.find("taps", at)) != std::string::npos; at += 4)
    text.replace(at, 4, "time");
  EXPECT_NE(error_of(text).find("'time' is what was measured here"), std::string::npos)
      << error_of(text);
}

}  // namespace
}  // namespace tilewright
