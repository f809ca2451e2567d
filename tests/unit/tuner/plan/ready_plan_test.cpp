#include "tuner/plan/ready_plan.hpp"

#include <gtest/gtest.h>

#include "tests/unit/tuner/plan/filter_operation.hpp"
#include "tuner/backend/evaluator.hpp"

namespace tilewright {
namespace {

const Settings kOfReadyPlan = {
    {"n", 1000}, {"BLOCK", 128}, {"ZERO", 0}, {"boundary", Value("wrap")}};

std::string folded(const std::string& text) {
  const Expression expression = Expression::parse(text);
  EXPECT_TRUE(uses(expression, kResident)) << text;
  const std::string left = with_resident_alone(expression, scope_over({&kOfReadyPlan}));
  EXPECT_EQ(resident_text_error(left), std::nullopt) << left;
  return left;
}

template <class Work>
std::string refused(const Work& work) {
  try {
    work();
  } catch (const TrialError& error) {
    EXPECT_EQ(error.failure().outcome, Outcome::launch_failed);
    return error.what();
  }
  return "no error";
}

LaunchPlan plan_with(const std::string& grid) {
  LaunchPlan plan;
  plan.launches.emplace_back().entry = "k";
  plan.launches[0].grid_texts[1] = grid;
  return plan;
}

std::int64_t grid_with(const std::string& grid, std::int64_t resident) {
  return with_grids(plan_with(grid), [&](const PlannedLaunch&) { return resident; })
      .launches[0]
      .grid[1];
}

TEST(ReadyPlan, OnlyResidentIsLeftOpen) {
  EXPECT_EQ(folded("resident"), "resident");
  EXPECT_EQ(folded("min(resident, ceil_div(n, BLOCK))"), "min(resident, 8)");
  EXPECT_EQ(folded("-resident * (BLOCK - 130)"), "(-(resident) * (-2))");
  EXPECT_EQ(folded("BLOCK == 128 ? resident * 2 : n / ZERO"), "(resident * 2)");
  EXPECT_EQ(folded("resident > 8 && !resident || boundary == 'wrap' ? 1 : abs(resident)"),
            "((((resident > 8) && !(resident)) || 1) ? 1 : abs(resident))");
  EXPECT_EQ(folded("resident + (0 - 9223372036854775807 - 1)"),
            "(resident + (-9223372036854775807 - 1))");
  EXPECT_FALSE(uses(Expression::parse("residents + BLOCK"), kResident));
  EXPECT_THROW(folded("resident + n / ZERO"), ExpressionError);
  EXPECT_THROW(folded("resident + none"), ExpressionError);
}

TEST(ReadyPlan, WorksOutGridsWhenTheDeviceIsKnown) {
  EXPECT_EQ(grid_with("min(resident, 8)", 132), 8);
  EXPECT_EQ(grid_with("resident * 2", 132), 264);
  const LaunchPlan plan = with_grids(plan_with("resident"), [](const PlannedLaunch&) { return 3; });
  EXPECT_FALSE(plan.launches[0].has_open_grid());
  EXPECT_EQ(plan.launches[0].grid, (std::array<std::int64_t, 3>{1, 3, 1}));
}

// A bundle may be made up.
TEST(ReadyPlan, RefusesGridsThatAreNone) {
  EXPECT_EQ(refused([] { grid_with("resident - 5", 5); }),
            "k: grid[1] = resident - 5 with 5 resident blocks is 0; the least is 1");
  EXPECT_NE(refused([] { grid_with("8 / resident", 0); }).find("has no result"), std::string::npos);
  EXPECT_NE(refused([] { grid_with("resident * 99999999999", 99); }).find("is 9899"),
            std::string::npos);
  EXPECT_NE(refused([] { grid_with("device.sm_count", 1); }).find("has no result"),
            std::string::npos);
  LaunchPlan plan = plan_with("resident");
  plan.launches[0].cluster[1] = 2;
  EXPECT_EQ(refused([&] { with_grids(plan, [](const PlannedLaunch&) { return 5; }); }),
            "k: grid[1] = resident with 5 resident blocks is 5, which clusters of 2 do not divide");
  EXPECT_NE(resident_text_error("min(resident"), std::nullopt);
  EXPECT_EQ(resident_text_error("resident + n"), "a grid uses 'n'");
}

PlannedArgument buffer_at(int index) {
  PlannedArgument argument;
  argument.kind = PlannedArgument::Kind::argument;
  argument.index = index;
  return argument;
}

LaunchPlan loop_plan() {
  LaunchPlan plan;
  for (const char* entry : {"first", "body", "last"}) {
    PlannedLaunch& launch = plan.launches.emplace_back();
    launch.entry = entry;
    launch.arguments = {buffer_at(0), buffer_at(1), buffer_at(2)};
  }
  plan.launches[1].arguments[2].kind = PlannedArgument::Kind::trip;
  plan.loops = {{1, 1, 3, {buffer_at(0), buffer_at(1)}}};
  return plan;
}

TEST(ReadyPlan, WritesOutTheTripsOfALoop) {
  const LaunchPlan plan = with_trips(loop_plan());
  EXPECT_TRUE(plan.loops.empty());
  ASSERT_EQ(plan.launches.size(), 5U);
  for (int trip = 0; trip < 3; ++trip) {
    const PlannedLaunch& launch = plan.launches.at(static_cast<std::size_t>(1 + trip));
    EXPECT_EQ(launch.entry, "body");
    EXPECT_EQ(launch.arguments[0].index, trip % 2);
    EXPECT_EQ(launch.arguments[1].index, 1 - trip % 2);
    EXPECT_EQ(launch.arguments[2].bytes,
              (std::vector<std::uint8_t>{static_cast<std::uint8_t>(trip), 0, 0, 0}));
  }
  EXPECT_EQ(plan.launches[4].entry, "last");
  EXPECT_EQ(plan.launches[4].arguments[0].index, 0);
}

TEST(ReadyPlan, RefusesLoopsThatAreImpossible) {
  const auto expect = [](const auto& forge, const std::string& part) {
    LaunchPlan plan = loop_plan();
    forge(plan.loops[0]);
    const std::string message = refused([&] { with_trips(plan); });
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  expect([](PlannedLoop& loop) { loop.first = -1; }, "a loop of 1 launches from launch -1 on");
  expect([](PlannedLoop& loop) { loop.first = 3; }, "from launch 3 on");
  expect([](PlannedLoop& loop) { loop.count = 0; }, "a loop of 0 launches");
  expect([](PlannedLoop& loop) { loop.count = 2147483647; }, "a loop of 2147483647 launches");
  expect([](PlannedLoop& loop) { loop.trips = 0; }, "a loop of 0 trips");
  expect([](PlannedLoop& loop) { loop.trips = 99'999; }, "more than 100000 launches");
  expect([](PlannedLoop& loop) { loop.trips = std::int64_t{1} << 62; }, "there may be 1 to 100000");
  expect([](PlannedLoop& loop) { loop.swap.pop_back(); }, "in which 1 arguments change places");
  LaunchPlan twice = loop_plan();
  twice.loops.push_back(twice.loops[0]);
  EXPECT_NE(refused([&] { with_trips(twice); }).find("from launch 1 on"), std::string::npos);
}

}  // namespace
}  // namespace tilewright
