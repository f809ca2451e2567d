// What a call does beside its launches, and launches that are not known to the last number.
#include <gtest/gtest.h>

#include "tests/unit/tuner/plan/filter_operation.hpp"
#include "tuner/plan/launch_plan.hpp"

namespace tilewright {
namespace {

class PlanCallTest : public testing::Test {
 protected:
  PlanCallTest() {
    launch_.entry = "filter";
    launch_.grid[0] = Expression::parse("ceil_div(n, BLOCK)");
    launch_.block[0] = Expression::parse("BLOCK");
  }

  LaunchPlan plan() const {
    return plan_launches(operation_, {launch_}, workspace_, scope_over({&values_}));
  }
  std::vector<PlannedBuffer> buffers() const {
    return plan_buffers(operation_, scope_over({&values_}));
  }
  std::string refusal() const {
    return input_error([&] { plan(); });
  }

  Operation operation_ = filter_operation();
  Launch launch_;
  Workspace workspace_;
  Settings values_ = {{"n", 1000}, {"taps", 5}, {"boundary", "wrap"}, {"BLOCK", 256}};
};

TEST_F(PlanCallTest, WorksOutWhatConstantsAreFilledWith) {
  const Operation operation = filter_operation();
  const Settings settings = {{"n", 100}, {"taps", 3}, {"boundary", Value("zero")}, {"USE", 1}};
  const Scope scope = scope_over({&settings});
  ConstantSymbol used{"d_in", "in"};
  ConstantSymbol other{"d_in", "in", "low"};
  ConstantSymbol unused{"d_no", "in", "", Expression::parse("USE == 0")};
  const std::vector<PlannedConstant> planned =
      plan_constants(operation, {used, other, unused}, scope);
  ASSERT_EQ(planned.size(), 2U);
  EXPECT_EQ(planned[0], (PlannedConstant{"&d_in", 0, 400}));
  EXPECT_EQ(planned[1].key, "&d_in of unit low");
  // A unit of which nothing is launched is not compiled.
  Implementation implementation;
  implementation.constants = {used, other};
  implementation.launches.resize(2);
  implementation.launches[1].unit = "low";
  implementation.launches[1].when = Expression::parse("USE == 0");
  EXPECT_EQ(plan_launches(operation, implementation, scope).constants.size(), 1U);
}

TEST_F(PlanCallTest, RefusesConstantsOfOtherSizes) {
  const PlannedConstant constant{"&d_in of unit low", 0, 400};
  EXPECT_EQ(constant_error(constant, 400), std::nullopt);
  EXPECT_EQ(constant_error(constant, 4000), std::nullopt);
  EXPECT_EQ(constant_error(constant, 399),
            "the variable d_in of unit low has 399 bytes, and the argument that fills it has 400");
  EXPECT_EQ(constant_error(constant, std::nullopt),
            "the code has no variable d_in of unit low to fill");
}

TEST_F(PlanCallTest, WorksOutLoops) {
  Implementation implementation;
  implementation.launches = {launch_, launch_, launch_, launch_};
  implementation.launches[1].loop = implementation.launches[2].loop = "steps";
  LaunchArgument workspace = in_workspace("4 * n");
  implementation.loops = {{"steps", Expression::parse("taps - 2"), {by_name("out"), workspace}}};
  implementation.workspace.bytes = Expression::parse("8 * n");
  const auto plan = [&] {
    return plan_launches(operation_, implementation, scope_over({&values_}));
  };
  ASSERT_EQ(plan().loops.size(), 1U);
  const PlannedLoop loop = plan().loops[0];
  EXPECT_EQ(loop.first, 1);
  EXPECT_EQ(loop.count, 2);
  EXPECT_EQ(loop.trips, 3);
  EXPECT_EQ(loop.swap.at(0).index, 3);
  EXPECT_EQ(loop.swap.at(1).offset, 4000);
  implementation.launches[0].when = Expression::parse("taps == 0");
  implementation.launches[1].when = Expression::parse("taps == 0");
  EXPECT_EQ(plan().loops.at(0).first, 0);
  EXPECT_EQ(plan().loops.at(0).count, 1);
  values_["taps"] = 2;  // no trips: the launches of the loop are left out
  EXPECT_EQ(plan().launches.size(), 1U);
  EXPECT_TRUE(plan().loops.empty());
  values_["taps"] = 1;
  EXPECT_EQ(input_error(plan), "trips of loop 'steps' is -1; it must be at least 0");
  values_["taps"] = 200'000;
  EXPECT_NE(input_error(plan).find("a loop of 199998 trips"), std::string::npos);
  values_["taps"] = 5;
  implementation.workspace.bytes = Expression::parse("n");
  EXPECT_NE(input_error(plan).find("begins 4000 bytes into a workspace of 1000"),
            std::string::npos);
  implementation.loops[0].swap = {by_name("out"), by_name("in")};
  EXPECT_EQ(input_error(plan), "no error");
  operation_.arguments[0].lanes = 2;
  EXPECT_EQ(input_error(plan),
            "'out' and 'in' change places in loop 'steps', but differ in type "
            "or number of elements");
}

TEST_F(PlanCallTest, ElementsOfSeveralNumbersAreCountedAsNumbers) {
  operation_.arguments[0].lanes = 4;
  EXPECT_EQ(buffers().at(0).count, 4000);
  const std::vector<PlannedConstant> constants =
      plan_constants(operation_, {{"d_in", "in"}}, scope_over({&values_}));
  EXPECT_EQ(constants.at(0).bytes, 16'000);
}

TEST_F(PlanCallTest, ALaunchWithMacrosHasAnEntryOfItsOwn) {
  launch_.unit = "launch 2";
  EXPECT_EQ(plan().launches.at(0).entry, "filter of launch 2");
  launch_.unit = "low";
  EXPECT_EQ(plan().launches.at(0).entry, "filter");
}

TEST_F(PlanCallTest, AGridMayBeOpen) {
  launch_.grid[0] = Expression::parse("min(resident, ceil_div(n, BLOCK))");
  launch_.cooperative = Expression::parse("BLOCK > 8");
  const PlannedLaunch launch = plan().launches.at(0);
  EXPECT_EQ(launch.grid[0], 1);
  EXPECT_EQ(launch.grid_texts[0], "min(resident, 4)");
  EXPECT_TRUE(launch.cooperative);
  launch_.grid[0] = Expression::parse("resident / (n - 1000)");
  EXPECT_EQ(plan().launches.at(0).grid_texts[0], "(resident / 0)");
  launch_.grid[0] = Expression::parse("resident + n / (n - 1000)");
  EXPECT_NE(refusal().find("grid[0] of launch 'filter'"), std::string::npos) << refusal();
}

}  // namespace
}  // namespace tilewright
