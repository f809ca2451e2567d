#include "definition/expected_cycles.hpp"

#include <gtest/gtest.h>

namespace tilewright {
namespace {

// As many cycles as its blocks, which are on one multiprocessor.
Implementation costing(const std::string& blocks) {
  Implementation one;
  one.name = "plain";
  one.operation = "scale";
  one.parameters = {{"BLOCK", "", {32, 64}, 32, std::nullopt},
                    {"LOADING", "", {"all", "async"}, "all", "all"}};
  one.cost.emplace();
  one.cost->blocks = Expression::parse(blocks);
  one.cost->multiprocessors = Expression::parse("1");
  one.cost->resident = Expression::parse("1");
  one.cost->work = Expression::parse("1");
  one.cost->latency = one.cost->least = one.cost->overhead = Expression::parse("0");
  return one;
}

double cycles(const Implementation& one, std::int64_t block, const char* loading,
              const Device& device = {}) {
  const Problem problem{"scale", {{"n", 640}, {"type", "odd"}}};
  ExpectedCycles cycles(one, problem, device);
  return cycles.of(std::vector{cycles.number_of(block), cycles.number_of(loading)});
}

TEST(ExpectedCycles, AreThoseOfTheParametersProblemAndDevice) {
  Device device;
  device.sm_count = 3;
  const Implementation one = costing("device.sm_count * n / BLOCK + (LOADING == 'async' ? 1 : 0)");
  EXPECT_EQ(cycles(one, 32, "all", device), 60);
  EXPECT_EQ(cycles(one, 64, "all", device), 30);
  EXPECT_EQ(cycles(one, 64, "async", device), 31);
}

TEST(ExpectedCycles, LabelsThatNoExpressionNamesAreOthers) {
  EXPECT_EQ(cycles(costing("type == 'even' ? 1 : 2"), 32, "all"), 2);
  EXPECT_EQ(cycles(costing("type == LOADING ? 1 : 2"), 32, "all"), 2);
  EXPECT_EQ(cycles(costing("type == 'odd' ? 1 : 2"), 32, "all"), 1);
}

TEST(ExpectedCycles, AreNoneWhereAFormulaHasNoResult) {
  const Implementation one = costing("n / (BLOCK - 32)");
  EXPECT_EQ(cycles(one, 32, "all"), no_cost);
  EXPECT_EQ(cycles(one, 64, "all"), 20);
  EXPECT_EQ(cycles(costing("elsewhere"), 64, "all"), no_cost);
}

TEST(ExpectedCycles, AreUnknownOnTheHostAndWithoutFormulas) {
  Implementation one = costing("1");
  Device host;
  host.kind = DeviceKind::host;
  EXPECT_TRUE(ExpectedCycles(one, {"scale", {}}, Device{}).is_known());
  EXPECT_FALSE(ExpectedCycles(one, {"scale", {}}, host).is_known());
  EXPECT_EQ(cycles(one, 32, "all", host), no_cost);
  one.cost.reset();
  EXPECT_FALSE(ExpectedCycles(one, {"scale", {}}, Device{}).is_known());
  EXPECT_EQ(cycles(one, 32, "all"), no_cost);
}

}  // namespace
}  // namespace tilewright
