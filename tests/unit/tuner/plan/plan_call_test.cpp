// What a call does beside its launches, and launches that are not known to the last number.
#include <gtest/gtest.h>

#include <filesystem>
#include <utility>

#include "definition/library/library.hpp"
#include "definition/problem.hpp"
#include "tests/support/h200.hpp"
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

// A trial that launches nothing has failed; a reference that does is a mistake in the manifest.
TEST_F(PlanCallTest, RefusesAReferenceThatLaunchesNothing) {
  launch_.grid[1] = Expression::parse("n - 1000");
  EXPECT_EQ(plan().launches.at(0).grid[1], 0);
  Reference reference;
  reference.launches = {launch_};
  const auto refused = [&] {
    return input_error([&] { plan_launches(operation_, reference, scope_over({&values_})); });
  };
  EXPECT_NE(refused().find("grid[1] of the launch 'filter'"), std::string::npos) << refused();
  EXPECT_NE(refused().find("is 0; the least is 1"), std::string::npos) << refused();
  reference.launches[0].grid[1] = Expression{1};
  reference.launches[0].block[0] = Expression{0};
  EXPECT_NE(refused().find("block[0] of the launch 'filter'"), std::string::npos) << refused();
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

TEST_F(PlanCallTest, LaunchesThatDependOnTheTripAreWrittenOut) {
  Implementation implementation;
  implementation.launches = {launch_, launch_, launch_};
  Launch& pass = implementation.launches[1];
  pass.loop = "passes";
  pass.grid[0] = Expression::parse("ceil_div(n - trip * BLOCK, BLOCK)");
  pass.block[0] = Expression::parse("trip == 0 ? BLOCK : BLOCK / 2");
  pass.shared_bytes = Expression::parse("4 * (trip + 1)");
  LaunchArgument number;
  number.kind = LaunchArgument::Kind::trip;
  pass.arguments = {in_workspace("4 * trip"), by_value("n / (trip + 1)", ElementType::int64),
                    number, by_name("out")};
  implementation.loops = {
      {"passes", Expression::parse("taps - 2"), {by_name("out"), in_workspace("n")}}};
  implementation.workspace.bytes = Expression::parse("4 * n");
  const auto plan = [&] {
    return plan_launches(operation_, implementation, scope_over({&values_}));
  };
  const LaunchPlan planned = plan();
  EXPECT_TRUE(planned.loops.empty());
  ASSERT_EQ(planned.launches.size(), 5U);
  for (int trip = 0; trip < 3; ++trip) {
    const PlannedLaunch& launch = planned.launches[static_cast<std::size_t>(1 + trip)];
    EXPECT_EQ(launch.grid[0], 4 - trip);
    EXPECT_EQ(launch.block[0], trip == 0 ? 256 : 128);
    EXPECT_EQ(launch.shared_bytes, 4 * (trip + 1));
    EXPECT_EQ(launch.arguments[0].offset, 4 * trip);
    EXPECT_EQ(launch.arguments[1].bytes,
              scalar_bytes(1000 / (trip + 1), ElementType::int64, "the number"));
    EXPECT_EQ(launch.arguments[2].bytes, scalar_bytes(trip, ElementType::int32, "the trip"));
    using Kind = PlannedArgument::Kind;
    EXPECT_EQ(launch.arguments[3].kind, trip == 1 ? Kind::workspace : Kind::argument);
  }
  values_["taps"] = 1002;
  pass.grid[0] = Expression{1};
  EXPECT_EQ(plan().launches.size(), 1002U);
  values_["taps"] = 1003;
  EXPECT_EQ(input_error(plan),
            "loop 'passes' has 1001 trips of 1 launches; where an expression uses 'trip', it makes "
            "at most 1000 launches");
  pass.block[0] = pass.shared_bytes = Expression{1};
  pass.arguments.resize(1);
  pass.arguments[0] = number;  // alone it needs no writing out
  EXPECT_EQ(plan().loops.at(0).trips, 1001);
}

TEST_F(PlanCallTest, BuffersMayHaveMoreThan31BitsOfElements) {
  values_["n"] = std::int64_t{5} << 30;
  operation_.arguments[2].value = Expression::parse("taps");
  EXPECT_EQ(buffers().at(0).count, std::int64_t{5} << 30);
  launch_.arguments = {by_name("in"), by_value("n", ElementType::int64), in_workspace("4 * n")};
  launch_.grid[0] = Expression{1};
  workspace_.bytes = Expression::parse("8 * n");
  EXPECT_EQ(plan().workspace_bytes, std::int64_t{40} << 30);
  EXPECT_EQ(plan().launches.at(0).arguments[2].offset, std::int64_t{20} << 30);
  const Scope scope = scope_over({&values_});
  EXPECT_EQ(plan_constants(operation_, {{"d_in", "in"}}, scope).at(0).bytes,
            std::int64_t{20} << 30);
  launch_.arguments = {by_name("n")};  // as an int
  EXPECT_NE(refusal().find("5368709120 does not fit int32"), std::string::npos) << refusal();
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

// In calls that prepare it themselves, its memory is behind the workspace.
TEST_F(PlanCallTest, APreparedInputIsApartFromTheCalls) {
  operation_.choices.push_back(preparation());
  LaunchArgument prepared = in_workspace("0");
  prepared.prepared = true;
  LaunchArgument map = prepared;
  map.kind = LaunchArgument::Kind::workspace_map;
  map.value = Expression{16};
  map.map.dims = map.map.box = {Expression{8}};
  Implementation implementation;
  implementation.launches = {launch_, launch_};
  implementation.launches[0].prepares = "in";
  implementation.launches[0].arguments = {by_name("in"), prepared};
  implementation.launches[1].arguments = {map, in_workspace("4"), by_name("out")};
  implementation.workspace.bytes = Expression::parse("n");
  implementation.workspace.prepared = Expression::parse("16 * taps");
  const auto plan = [&] {
    return plan_launches(operation_, implementation, scope_over({&values_}));
  };
  const LaunchPlan each_call = plan();
  EXPECT_EQ(each_call.workspace_bytes, 1024 + 80);
  EXPECT_EQ(each_call.prepared_bytes, 0);
  for (const PlannedLaunch& launch : each_call.launches) EXPECT_FALSE(launch.prepares);
  EXPECT_EQ(each_call.launches[0].arguments[1].offset, 1024);
  EXPECT_EQ(each_call.launches[1].arguments[0].offset, 1024 + 16);
  EXPECT_EQ(each_call.launches[1].arguments[1].offset, 4);
  EXPECT_FALSE(each_call.launches[1].arguments[0].prepared);

  values_["in"] = "prepared";
  const LaunchPlan apart = plan();
  EXPECT_EQ(apart.workspace_bytes, 1000);
  EXPECT_EQ(apart.prepared_bytes, 80);
  EXPECT_TRUE(apart.launches[0].prepares);
  EXPECT_FALSE(apart.launches[1].prepares);
  EXPECT_TRUE(apart.launches[0].arguments[1].prepared);
  EXPECT_EQ(apart.launches[0].arguments[1].offset, 0);
  EXPECT_TRUE(apart.launches[1].arguments[0].prepared);
  EXPECT_EQ(apart.launches[1].arguments[0].offset, 16);
  EXPECT_FALSE(apart.launches[1].arguments[1].prepared);

  implementation.workspace.prepared = Expression::parse("40");
  EXPECT_EQ(
      input_error(plan),
      "launch 'filter' maps elements beyond the end of its prepared input, which has 40 bytes");
  implementation.workspace.prepared = Expression::parse("0 - taps");
  EXPECT_EQ(input_error(plan), "bytes of the prepared input is -5; it must be at least 0");
  implementation.workspace.prepared = Expression{std::int64_t{1} << 61};
  EXPECT_EQ(input_error(plan),
            "bytes of the prepared input is 2305843009213693952; it may be at most "
            "1152921504606846976");
  implementation.workspace.prepared = Expression{};
  EXPECT_EQ(input_error(plan), "the prepared input has 0 bytes, and a launch prepares it");
  implementation.launches[0].when = Expression{};
  implementation.workspace.prepared = Expression{80};
  EXPECT_EQ(input_error(plan),
            "the prepared input has 80 bytes, and no launch of this configuration prepares it");
}

// It reads its image before it waits for the launch ahead, which may have written that if it is of
// another call.
TEST(PlanOfFourierTransforms, IsDependentOnlyBehindItsOwnSpectrum) {
  const Library library =
      Library::load({std::filesystem::path(TILEWRIGHT_SOURCE_DIR) / "kernel_templates"});
  for (const auto& [name, taps] : {std::pair("conv1d", "taps"), {"conv2d", "filter_width"}})
    for (const bool is_prepared : {false, true}) {
      const Family& family = library.family(name);
      const Implementation& fft = family.implementation("fft");
      const Settings values = {{taps, 31}, {"filter", is_prepared ? "prepared" : "each_call"}};
      const Problem problem = make_problem(family.operation, values, test::h200());
      const LaunchPlan plan = plan_launches(
          family.operation, fft, full_scope(problem, default_configuration(fft), test::h200()));
      ASSERT_EQ(plan.launches.size(), 2U);
      EXPECT_EQ(plan.launches[0].prepares, is_prepared);
      EXPECT_FALSE(plan.launches[0].dependent_launch);
      EXPECT_EQ(plan.launches[1].dependent_launch, !is_prepared);
      EXPECT_EQ(plan.workspace_bytes > 0, !is_prepared);
      EXPECT_EQ(plan.prepared_bytes > 0, is_prepared);
    }
}

}  // namespace
}  // namespace tilewright
