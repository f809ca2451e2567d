// Ranges of parameters' values, and real values of scalars.
#include "tests/unit/definition/manifest_fixture.hpp"

namespace tilewright {
namespace {

TEST_F(ManifestTest, WritesOutRangesOfValues) {
  const auto values_of = [&](const std::string& values) {
    return read(changed("values = [64, 128]", "values = [" + values + "]"))
        .implementations.at(0)
        .parameters.at(0)
        .values;
  };
  EXPECT_EQ(values_of("128, { from = 2, to = 7, step = 2 }, { from = 32, to = 100, times = 2 }"),
            values_of("128, 2, 4, 6, 32, 64"));
  EXPECT_EQ(values_of("{ from = -1, to = 1 }, 64, 128"), values_of("-1, 0, 1, 64, 128"));
  EXPECT_EQ(
      values_of("64, 128, { from = 9223372036854775806, to = 9223372036854775807, step = 5 }"),
      values_of("64, 128, 9223372036854775806"));
  EXPECT_EQ(
      values_of("64, 128, { from = 4611686018427387904, to = 9223372036854775807, times = 2 }"),
      values_of("64, 128, 4611686018427387904"));
  EXPECT_EQ(values_of("{ from = 64, to = 64 }, 128"), values_of("64, 128"));
}

TEST_F(ManifestTest, RefusesRangesThatAreNone) {
  const auto expect = [&](const std::string& range, const std::string& sentence) {
    SCOPED_TRACE(range);
    expect_error("values = [64, 128]", "values = [" + range + "]", line_of("values = [64"),
                 sentence);
  };
  expect("{ from = 1, to = 9, step = 0 }", "'step' is 0; it must be at least 1");
  expect("{ from = 1, to = 9, step = -2 }", "'step' is -2; it must be at least 1");
  expect("{ from = 9, to = 1 }", "the range is empty: 'from' 9 is above 'to' 1");
  expect("{ from = 1, to = 9, times = 1 }", "'times' is 1; it must be at least 2");
  expect("{ from = 0, to = 9, times = 2 }", "'from' is 0; with 'times' it must be at least 1");
  expect("{ from = 1, to = 9, times = 2, step = 1 }", "'step' does not go with 'times'");
  expect("{ from = 1 }", "a range of 'values' lacks 'to'");
  expect("{ from = 1, to = 9, by = 2 }", "unknown key 'by' in a range of 'values'");
  expect("{ from = 1.5, to = 9 }", "'from' must be an integer");
  expect("{ from = 1, to = 9223372036854775807 }", "'values' has more than 4096 values");
  expect("{ from = 1, to = 4096 }, 0", "'values' has more than 4096 values");
  expect("64, 128, { from = 1, to = 64 }", "the value 64 is listed twice");
  expect("\"some\", { from = 1, to = 64 }", "all integers or all labels, not both");
}

TEST_F(ManifestTest, RefusesRealNumbersForIntegers) {
  const std::string second = line_of("\n[[operation.argument]]\nname = \"result\"");
  expect_error("value = \"length * 2\"", "value = 0.5", line_of("value = \"length"),
               "a value of type int64 is a whole number");
  expect_error("value = \"length * 2\"", "value = \"length\"\ndivisor = 2", second,
               "a value of type int64 is a whole number");
  expect_error("value = \"length * 2\"", "divisor = 2", line_of("value = \"length"),
               "'divisor' does not go with a scalar without 'value'");
  expect_error("type = \"int64\"\nvalue = \"length * 2\"", "value = inf",
               line_of("type = \"int64\"\nvalue"), "must be finite");
  expect_error("type = \"int64\"\nvalue = \"length * 2\"", "value = 1\ndivisor = \"lenth\"",
               line_of("value = \"length"), "did you mean 'length'?");
}

}  // namespace
}  // namespace tilewright
