#include "tuner/plan/launch_plan.hpp"

#include <gtest/gtest.h>

#include "tests/unit/tuner/plan/filter_operation.hpp"

namespace tilewright {
namespace {

class LaunchPlanTest : public testing::Test {
 protected:
  LaunchPlanTest() {
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
  std::vector<std::uint8_t> bytes_of(const LaunchArgument& argument) {
    launch_.arguments = {argument};
    return plan().launches.at(0).arguments.at(0).bytes;
  }
  std::string refusal() const {
    return input_error([&] { plan(); });
  }

  Operation operation_ = filter_operation();
  Launch launch_;
  Workspace workspace_;
  Settings values_ = {{"n", 1000}, {"taps", 5}, {"boundary", "wrap"}, {"BLOCK", 256}};
};

using Bytes = std::vector<std::uint8_t>;

TEST_F(LaunchPlanTest, WorksOutExtentsAndSharedMemory) {
  launch_.cluster[1] = Expression(2);
  launch_.shared_bytes = Expression::parse("4 * (BLOCK + taps - 1)");
  const PlannedLaunch launch = plan().launches.at(0);
  EXPECT_EQ(launch.entry, "filter");
  EXPECT_EQ(launch.grid, (std::array<std::int64_t, 3>{4, 1, 1}));
  EXPECT_EQ(launch.block, (std::array<std::int64_t, 3>{256, 1, 1}));
  EXPECT_EQ(launch.cluster, (std::array<std::int64_t, 3>{1, 2, 1}));
  EXPECT_EQ(launch.shared_bytes, 1040);
}

TEST_F(LaunchPlanTest, AnInoutThatIsNotReadIsAnOutput) {
  operation_.arguments[3].role = ArgumentRole::inout;
  EXPECT_EQ(buffers()[3].role, ArgumentRole::inout);
  operation_.arguments[3].read_when = Expression::parse("boundary == 'zero'");
  EXPECT_EQ(buffers()[3].role, ArgumentRole::output);
  values_["boundary"] = "zero";
  EXPECT_EQ(buffers()[3].role, ArgumentRole::inout);
}

TEST_F(LaunchPlanTest, LeavesOutLaunchesWhoseConditionIsFalse) {
  launch_.when = Expression::parse("taps > 5");
  launch_.grid[0] = Expression::parse("n / (taps - 5)");  // must not be evaluated
  EXPECT_TRUE(plan().launches.empty());
}

TEST_F(LaunchPlanTest, NamesStandForArgumentsThenForTheProblem) {
  launch_.arguments = {by_name("out"), by_name("weights"), by_name("n"), by_name("boundary")};
  const std::vector<PlannedArgument> arguments = plan().launches.at(0).arguments;
  EXPECT_EQ(arguments[0].kind, PlannedArgument::Kind::argument);
  EXPECT_EQ(arguments[0].index, 3);
  EXPECT_EQ(arguments[1].index, 1);
  EXPECT_EQ(arguments[2].kind, PlannedArgument::Kind::bytes);
  EXPECT_EQ(arguments[2].bytes, (Bytes{0xE8, 0x03, 0, 0}));
  EXPECT_EQ(arguments[3].bytes, (Bytes{1, 0, 0, 0}));  // wrap is the second label
}

TEST_F(LaunchPlanTest, ValuesTakeTheBytesOfTheirType) {
  EXPECT_EQ(bytes_of(by_value("0 - 2", ElementType::int32)), (Bytes{0xFE, 0xFF, 0xFF, 0xFF}));
  EXPECT_EQ(bytes_of(by_value("4294967295", ElementType::uint32)), (Bytes{0xFF, 0xFF, 0xFF, 0xFF}));
  EXPECT_EQ(bytes_of(by_value("5000000000", ElementType::int64)),
            (Bytes{0x00, 0xF2, 0x05, 0x2A, 1, 0, 0, 0}));
  EXPECT_EQ(bytes_of(by_value("255", ElementType::uint8)), Bytes{0xFF});
  EXPECT_EQ(bytes_of(by_value("1", ElementType::float32)), (Bytes{0, 0, 0x80, 0x3F}));
  EXPECT_EQ(bytes_of(by_value("-2", ElementType::float64)), (Bytes{0, 0, 0, 0, 0, 0, 0, 0xC0}));
  EXPECT_EQ(bytes_of(by_value("boundary", ElementType::uint64)), (Bytes{1, 0, 0, 0, 0, 0, 0, 0}));
}

TEST_F(LaunchPlanTest, AnInputByValueFillsItsStruct) {
  LaunchArgument in;
  in.kind = LaunchArgument::Kind::by_value;
  in.name = "in";
  in.value = Expression::parse("n + 1");
  launch_.arguments = {in};
  const PlannedArgument planned = plan().launches.at(0).arguments.at(0);
  EXPECT_EQ(planned.kind, PlannedArgument::Kind::by_value);
  EXPECT_EQ(planned.index, 0);
  EXPECT_EQ(planned.size, 4004);
  launch_.arguments[0].value = Expression::parse("n - 1");
  EXPECT_EQ(refusal(),
            "argument 1 of launch 'filter' has room for 999 elements of 'in', which has 1000");
  launch_.arguments[0].value = Expression(8192);
  EXPECT_NE(refusal().find("passes 8192 elements of 'in' by value; a kernel takes at most 32764 "
                           "bytes"),
            std::string::npos);
}

TEST_F(LaunchPlanTest, WorksOutTensorMaps) {
  LaunchArgument map;
  map.kind = LaunchArgument::Kind::tensor_map;
  map.name = "in";
  map.map.dims = {Expression::parse("taps"), Expression::parse("n / 10")};
  map.map.strides = {Expression(8)};
  map.map.box = {Expression::parse("taps - 1"), Expression(2)};
  map.map.swizzle = Expression::parse("BLOCK / 4");
  map.map.promote = Expression::parse("BLOCK");
  launch_.arguments = {map};
  const PlannedArgument planned = plan().launches.at(0).arguments.at(0);
  EXPECT_EQ(planned.kind, PlannedArgument::Kind::tensor_map);
  EXPECT_EQ(planned.index, 0);
  EXPECT_EQ(planned.map.type, ElementType::float32);
  EXPECT_EQ(planned.map.dims, (std::vector<std::int64_t>{5, 100}));
  EXPECT_EQ(planned.map.strides, (std::vector<std::int64_t>{8}));
  EXPECT_EQ(planned.map.box, (std::vector<std::int64_t>{4, 2}));
  EXPECT_EQ(planned.map.swizzle, 64);
  EXPECT_EQ(planned.map.promote, 256);
}

TEST_F(LaunchPlanTest, RefusesTensorMapsBeyondTheirBuffer) {
  LaunchArgument map;
  map.kind = LaunchArgument::Kind::tensor_map;
  map.name = "in";
  map.map.dims = {Expression(40), Expression(25)};
  map.map.strides = {Expression(40)};
  map.map.box = {Expression(4), Expression(4)};
  launch_.arguments = {map};
  EXPECT_EQ(refusal(), "no error");
  for (const auto& [columns, rows] : std::vector<std::pair<std::int64_t, std::int64_t>>{
           {41, 25}, {40, 26}, {1001, 1}, {1, std::int64_t{1} << 62}}) {
    launch_.arguments[0].map.dims = {Expression(columns), Expression(rows)};
    EXPECT_EQ(refusal(), "argument 1 of launch 'filter' maps elements beyond the 1000 of 'in'")
        << columns << " × " << rows;
  }
}

LaunchArgument map_of_workspace() {
  LaunchArgument map;
  map.kind = LaunchArgument::Kind::workspace_map;
  map.name = "workspace";
  map.value = Expression::parse("2 * taps + 6");
  map.map.type = Expression::parse("BLOCK == 256 ? 'float16' : 'float32'");
  map.map.dims = {Expression(8), Expression::parse("n")};
  map.map.strides = {Expression(8)};
  map.map.box = {Expression(8), Expression(4)};
  return map;
}

TEST_F(LaunchPlanTest, WorksOutTensorMapsOfTheWorkspace) {
  launch_.arguments = {map_of_workspace()};
  workspace_.bytes = Expression(16016);
  const PlannedArgument planned = plan().launches.at(0).arguments.at(0);
  EXPECT_EQ(planned.kind, PlannedArgument::Kind::workspace_map);
  EXPECT_EQ(planned.offset, 16);
  EXPECT_EQ(planned.map.type, ElementType::float16);
  EXPECT_EQ(planned.map.dims, (std::vector<std::int64_t>{8, 1000}));
  EXPECT_FALSE(tensor_map_error(planned));
  workspace_.bytes = Expression(16015);
  EXPECT_EQ(refusal(),
            "launch 'filter' maps elements beyond the end of its workspace, which has 16015 bytes");
  values_["BLOCK"] = 128;
  workspace_.bytes = Expression(32016);
  EXPECT_EQ(plan().launches.at(0).arguments.at(0).map.type, ElementType::float32);
  launch_.arguments[0].value = Expression(-16);
  EXPECT_EQ(refusal(), "argument 1's offset of launch 'filter' is -16; it must be at least 0");
}

TEST_F(LaunchPlanTest, AParameterMayDecideWhetherALaunchBeginsEarly) {
  EXPECT_FALSE(plan().launches.at(0).dependent_launch);
  launch_.dependent_launch = Expression::parse("BLOCK == 256");
  EXPECT_FALSE(plan().launches.at(0).dependent_launch) << "no device is known to have it";
  values_["device.compute_capability"] = 89;
  EXPECT_FALSE(plan().launches.at(0).dependent_launch);
  values_["device.compute_capability"] = 90;
  EXPECT_TRUE(plan().launches.at(0).dependent_launch);
  values_["BLOCK"] = 128;
  EXPECT_FALSE(plan().launches.at(0).dependent_launch);
}

TEST_F(LaunchPlanTest, LeavesOutArgumentsWhoseConditionIsFalse) {
  launch_.arguments = {by_value("1 / (taps - 5)", ElementType::int32), by_name("n")};
  launch_.arguments[0].when = Expression::parse("taps > 5");
  const std::vector<PlannedArgument> arguments = plan().launches.at(0).arguments;
  ASSERT_EQ(arguments.size(), 1U);
  EXPECT_EQ(arguments[0].bytes, (Bytes{0xE8, 0x03, 0, 0}));
}

TEST_F(LaunchPlanTest, RefusesValuesThatDoNotFitTheirType) {
  const auto refused = [&](const std::string& value, ElementType type) {
    launch_.arguments = {by_value(value, type)};
    return refusal().find("does not fit " + to_text(type)) != std::string::npos;
  };
  EXPECT_TRUE(refused("2147483648", ElementType::int32));
  EXPECT_TRUE(refused("0 - 1", ElementType::uint32));
  EXPECT_TRUE(refused("0 - 1", ElementType::uint64));
  EXPECT_TRUE(refused("256", ElementType::uint8));
  EXPECT_TRUE(refused("16777217", ElementType::float32));
  EXPECT_FALSE(refused("16777216", ElementType::float32));
  values_["n"] = 5000000000;
  launch_.arguments = {by_name("n")};
  EXPECT_EQ(refusal(), "argument 1 of launch 'filter', n = 5000000000 does not fit int32");
}

TEST_F(LaunchPlanTest, WorksOutTheWorkspace) {
  workspace_.bytes = Expression::parse("4 * n");
  workspace_.zero = Workspace::Fill::once;
  launch_.arguments = {in_workspace("2 * n")};
  const LaunchPlan planned = plan();
  EXPECT_EQ(planned.workspace_bytes, 4000);
  EXPECT_EQ(planned.workspace_zero, Workspace::Fill::once);
  EXPECT_EQ(planned.launches[0].arguments[0].kind, PlannedArgument::Kind::workspace);
  EXPECT_EQ(planned.launches[0].arguments[0].offset, 2000);
}

TEST_F(LaunchPlanTest, RefusesImpossibleSizesAndExpressionsWithoutResult) {
  workspace_.bytes = Expression::parse("0 - n");
  EXPECT_NE(refusal().find("bytes of the workspace is -1000"), std::string::npos);
  workspace_.bytes = Expression(8);
  launch_.arguments = {in_workspace("9")};
  EXPECT_NE(refusal().find("9 bytes into a workspace of 8"), std::string::npos);
  launch_.arguments = {};
  launch_.shared_bytes = Expression(-4);
  EXPECT_NE(refusal().find("shared_bytes of launch 'filter' is -4"), std::string::npos);
  launch_.shared_bytes = Expression::parse("n / (taps - 5)");
  EXPECT_NE(refusal().find("shared_bytes of launch 'filter': "), std::string::npos);
}

TEST_F(LaunchPlanTest, BuffersHaveTheOperationsOrderAndSizes) {
  const std::vector<PlannedBuffer> planned = buffers();
  ASSERT_EQ(planned.size(), 4U);
  EXPECT_EQ(planned[0].name, "in");
  EXPECT_EQ(planned[0].count, 1000);
  EXPECT_EQ(planned[1].kind, ArgumentKind::array);
  EXPECT_EQ(planned[1].count, 5);
  EXPECT_EQ(planned[1].capacity, 9);
  EXPECT_EQ(planned[2].count, 1);
  EXPECT_TRUE(planned[2].has_value);
  EXPECT_EQ(planned[2].value, 2000);
  EXPECT_FALSE(planned[3].has_value);
  EXPECT_EQ(planned[3].role, ArgumentRole::output);
}

TEST_F(LaunchPlanTest, AnArgumentThatTheCallLacksIsPassedToNoKernel) {
  operation_.arguments[1].when = Expression::parse("boundary == 'wrap'");
  launch_.arguments = {by_name("in"), by_name("weights"), by_name("out")};
  EXPECT_EQ(plan().launches.at(0).arguments.size(), 3U);
  values_["boundary"] = "zero";
  const std::vector<PlannedArgument> arguments = plan().launches.at(0).arguments;
  ASSERT_EQ(arguments.size(), 2U);
  EXPECT_EQ(arguments[1].index, 3);
  values_["taps"] = 10;  // more than its capacity, which does not matter
  ASSERT_EQ(buffers().size(), 4U);
  EXPECT_EQ(buffers()[1].kind, ArgumentKind::scalar);
  EXPECT_TRUE(buffers()[1].has_value);
}

TEST_F(LaunchPlanTest, ABufferHasTheFillOfItsType) {
  using Kind = Fill::Kind;
  Argument& in = operation_.arguments[0];
  const auto kind_of = [&](const std::string& type) {
    in.computed_type = Expression::parse(type);
    return buffers()[0].fill.kind;
  };
  EXPECT_EQ(kind_of("'float32'"), Kind::uniform);
  EXPECT_EQ(kind_of("n > 5 ? 'bfloat16' : 'float32'"), Kind::normal);
  EXPECT_EQ(kind_of("'float8_e4m3'"), Kind::normal);
  EXPECT_EQ(kind_of("'complex64'"), Kind::uniform);
  EXPECT_EQ(kind_of("'int8'"), Kind::integers);
  EXPECT_EQ(buffers()[0].type, ElementType::int8);
  in.has_own_fill = true;
  EXPECT_EQ(input_error([&] { buffers(); }),
            "fill of argument 'in': int8 cannot be filled with 'uniform' fractions; take integers, "
            "sorted, offsets, permutation, constant or file");
  in.integer_fill = Fill{Kind::integers, -127, 127, {}};
  EXPECT_EQ(buffers()[0].fill.kind, Kind::integers);
  EXPECT_EQ(buffers()[0].fill.low, -127);
  EXPECT_EQ(kind_of("'float32'"), Kind::uniform);
  kind_of("'int8'");
  in.computed_type = Expression::parse("'uint8'");
  EXPECT_EQ(input_error([&] { buffers(); }),
            "fill of argument 'in': 'low' is below 0, which uint8 cannot hold");
}

TEST_F(LaunchPlanTest, NumbersOfAFillAreDivided) {
  Argument& in = operation_.arguments[0];
  in.fill = {Fill::Kind::uniform, 0.5, 1};
  in.computed_fill.divisor = Expression::parse("taps - 1");
  EXPECT_EQ(buffers()[0].fill.low, 0.125);
  EXPECT_EQ(buffers()[0].fill.high, 0.25);
  EXPECT_EQ(buffers()[0].fill.divisor, 1);
  values_["taps"] = 1;
  EXPECT_EQ(input_error([&] { buffers(); }),
            "fill of argument 'in': 'divisor' is 0 and must be above 0");
}

TEST_F(LaunchPlanTest, NumbersOfAFillMayDependOnTheProblem) {
  Argument& in = operation_.arguments[0];
  in.type = ElementType::uint16;
  in.fill = {Fill::Kind::integers, 0, 1};
  in.computed_fill.high = Expression::parse("taps - 1");
  EXPECT_EQ(buffers()[0].fill.high, 4);
  values_["taps"] = 0;
  EXPECT_EQ(input_error([&] { buffers(); }),
            "fill of argument 'in': 'low' is 0 and must be at most 'high', -1");
  in.computed_fill.low = Expression::parse("taps - 2");
  EXPECT_EQ(input_error([&] { buffers(); }),
            "fill of argument 'in': 'low' is below 0, which uint16 cannot hold");
  in.computed_fill.low = Expression::parse("1 / taps");
  EXPECT_NE(input_error([&] { buffers(); }).find("low in the fill of argument 'in': "),
            std::string::npos);
  in.type = ElementType::float16;
  in.fill = {.kind = Fill::Kind::normal};
  in.computed_fill = {};
  in.computed_fill.mean = Expression::parse("taps");
  in.computed_fill.deviation = Expression::parse("n / 10");
  EXPECT_EQ(buffers()[0].fill.mean, 0);
  EXPECT_EQ(buffers()[0].fill.deviation, 100);
  values_["n"] = 9;
  EXPECT_EQ(input_error([&] { buffers(); }),
            "fill of argument 'in': 'deviation' is 0 and must be above 0");
}

TEST_F(LaunchPlanTest, WorksOutHowOutputsAreCompared) {
  const auto planned = [&] {
    return plan_comparison(operation_.comparison, scope_over({&values_}));
  };
  EXPECT_LT(planned().sums, 0);
  EXPECT_EQ(planned().tolerance, 0);
  operation_.comparison.reduction = Expression::parse("2 * taps");
  operation_.comparison.sums = Expression::parse("taps > 4 ? 'float64' : 'int32'");
  operation_.comparison.mismatches = 0.5;
  EXPECT_LT(planned().absolute, 0);
  EXPECT_LT(planned().relative, 0);
  operation_.comparison.absolute = 0;
  operation_.comparison.relative = 1e-5;
  EXPECT_EQ(planned().absolute, 0);
  EXPECT_EQ(planned().relative, 1e-5);
  EXPECT_EQ(planned().reduction, 10);
  EXPECT_EQ(planned().sums, 0x1p-52);
  EXPECT_EQ(planned().mismatches, 0.5);
  operation_.comparison.ignored = {"scratch"};
  EXPECT_EQ(planned().ignored, std::vector<std::string>{"scratch"});
  values_["taps"] = 4;
  EXPECT_EQ(planned().sums, 0);
  EXPECT_EQ(planned().cut, 0);
  operation_.comparison.inputs = Expression::parse("2 * taps + 2");
  EXPECT_EQ(planned().cut, 0x1p-10);
  operation_.comparison.inputs = Expression::parse("60");
  EXPECT_EQ(input_error([&] { planned(); }),
            "the comparison's inputs is 60; it must be 0 to 52 bits");
  operation_.comparison.inputs = Expression{};
  operation_.comparison.reduction = Expression::parse("taps - 5");
  EXPECT_EQ(input_error([&] { planned(); }),
            "the comparison's reduction is -1; it must be 0 or more");
  operation_.comparison.reduction = Expression(1);
  operation_.comparison.sums = Expression::parse("boundary");
  EXPECT_EQ(input_error([&] { planned(); }), "the type 'boundary': 'wrap' is none");
}

TEST_F(LaunchPlanTest, RefusesBuffersThatDoNotFit) {
  values_["taps"] = 10;
  EXPECT_EQ(input_error([&] { buffers(); }),
            "count of argument 'weights' is 10, more than its capacity of 9");
  values_["taps"] = -1;
  EXPECT_NE(input_error([&] { buffers(); }).find("'weights' is -1"), std::string::npos);
  values_["taps"] = 5;
  values_["n"] = 2000000000;
  EXPECT_EQ(input_error([&] { buffers(); }),
            "value of argument 'scale' = 4000000000 does not fit int32");
}

}  // namespace
}  // namespace tilewright
