// What the entries of a cache are expected to cost.
#include <gtest/gtest.h>

#include "tuner/foreign/record.hpp"

namespace tilewright {
namespace {

Record record_of(std::string_view text) {
  return read_records(text, "f.json").at(0);
}

// Of a cache with these entries, which have one parameter.
std::vector<double> expected_in(const std::string& entries) {
  return record_of(R"({"tune_params_keys": ["x"], "cache": {)" + entries + "}}").expected;
}

TEST(Cache, SaysWhatEntriesAreExpectedToCost) {
  const std::string first = R"("1": {"x": 1, "time": 1, "expected": 250.5})";
  EXPECT_EQ(expected_in(first + R"(, "2": {"x": 2, "time": "failed", "expected": 7})"),
            (std::vector<double>{250.5, 7}));
  EXPECT_TRUE(expected_in(R"("1": {"x": 1, "time": 1})").empty());
}

TEST(Cache, AnEntryWithoutAnExpectedCostAboveZeroHasNone) {
  for (const char* none : {"", R"(, "expected": -3)", R"(, "expected": 0)", R"(, "expected": NaN)",
                           R"(, "expected": Infinity)", R"(, "expected": "7")",
                           R"(, "expected": null)", R"(, "expected": [7])"}) {
    const std::string entry = R"("2": {"x": 2, "time": 2)" + std::string(none) + "}";
    EXPECT_EQ(expected_in(R"("1": {"x": 1, "time": 1, "expected": 4}, )" + entry),
              (std::vector<double>{4, 0}))
        << none;
    EXPECT_TRUE(expected_in(entry).empty()) << none;
  }
}

TEST(Cache, ExpectedCostsBelongToTheConfigurationsThatCount) {
  const std::string text = R"({"tune_params_keys": ["x"], "cache": {
"1": {"x": 1, "time": 1, "expected": 10}, "1.0": {"x": 1.0, "time": 2, "expected": 11},
"3": {"x": 3, "time": 3, "expected": 30}}})";
  const Record record = record_of(text);
  ASSERT_EQ(record.trials.size(), 2U);
  EXPECT_EQ(record.expected, (std::vector<double>{10, 30}));
  const Record cut = record_of(text.substr(0, text.find(R"("3":)")));
  EXPECT_EQ(cut.expected, std::vector<double>{10});
}

}  // namespace
}  // namespace tilewright
