#include "tuner/sweep/prepare/inspector.hpp"
#include "tuner/sweep/prepare/session_plan.hpp"

#include <gtest/gtest.h>

namespace tilewright {
namespace {

PlannedLaunch launch_of(const std::string& entry, std::int64_t threads, std::int64_t shared) {
  PlannedLaunch launch;
  launch.entry = entry;
  launch.block = {threads, 1, 1};
  launch.shared_bytes = shared;
  return launch;
}

CompileResult code_with(const std::string& entry, int registers) {
  CompileResult code;
  code.code_hash = "abc";
  code.entries[entry] = {entry + "_symbol", {}};
  code.entries[entry].resources.registers = registers;
  code.entries[entry].resources.shared_bytes = 100;
  return code;
}

TEST(CodeCheckTest, AddsDynamicSharedMemoryAndThreads) {
  LaunchPlan plan;
  plan.launches = {launch_of("k", 256, 1000)};
  const Resources resources = costliest(resources_by_launch(plan, code_with("k", 40), {}, {}));
  EXPECT_EQ(resources.threads, 256);
  EXPECT_EQ(resources.shared_bytes, 1100);
  EXPECT_EQ(resources.registers, 40);
}

TEST(CodeCheckTest, ReportsTheLaunchWithFewestResidentBlocks) {
  LaunchPlan plan;
  plan.launches = {launch_of("small", 1024, 0), launch_of("large", 64, 0)};
  CompileResult code = code_with("small", 16);
  code.entries["large"] = code_with("large", 255).entries["large"];
  BackendFacts backend;
  backend.add_occupancy = [](Resources& resources, const Device&) {
    resources.blocks_per_sm = resources.registers > 100 ? 1 : 4;
  };
  EXPECT_EQ(costliest(resources_by_launch(plan, code, backend, {})).registers, 255);
}

TEST(CodeCheckTest, NamesAKernelThatIsNotThere) {
  LaunchPlan plan;
  plan.launches = {launch_of("k", 32, 0), launch_of("reduce", 32, 0)};
  EXPECT_EQ(missing_entry_failure(plan, code_with("k", 1)).value().message,
            "the code has no kernel 'reduce'\n");
  plan.launches.pop_back();
  EXPECT_FALSE(missing_entry_failure(plan, code_with("k", 1)));
}

TEST(CodeCheckTest, LaunchKeyTellsLaunchesApart) {
  LaunchPlan plan;
  plan.launches = {launch_of("k", 256, 0)};
  LaunchPlan other = plan;
  EXPECT_EQ(launch_key("abc", plan), launch_key("abc", other));
  EXPECT_NE(launch_key("abc", plan), launch_key("abd", plan));
  other.launches[0].block[0] = 128;
  EXPECT_NE(launch_key("abc", plan), launch_key("abc", other));
  other = plan;
  other.launches[0].dependent_launch = true;
  EXPECT_NE(launch_key("abc", plan), launch_key("abc", other));
  other = plan;
  other.launches[0].arguments.push_back({PlannedArgument::Kind::bytes, 0, {1}, 0});
  EXPECT_NE(launch_key("abc", plan), launch_key("abc", other));
}

TEST(CodeCheckTest, LaunchKeyTellsTensorMapsApart) {
  PlannedArgument map;
  map.kind = PlannedArgument::Kind::tensor_map;
  map.map = {ElementType::float32, {64, 64}, {64}, {32, 8}, 0, 0};
  LaunchPlan plan;
  plan.launches = {launch_of("k", 256, 0)};
  plan.launches[0].arguments = {map};
  LaunchPlan other = plan;
  EXPECT_EQ(launch_key("abc", plan), launch_key("abc", other));
  other.launches[0].arguments[0].map.box = {32, 16};
  EXPECT_NE(launch_key("abc", plan), launch_key("abc", other));
  other = plan;
  other.launches[0].arguments[0].map.promote = 128;
  EXPECT_NE(launch_key("abc", plan), launch_key("abc", other));
  other = plan;
  other.launches[0].arguments[0].map.type = ElementType::int32;
  EXPECT_NE(launch_key("abc", plan), launch_key("abc", other));
}

TEST(CodeCheckTest, SymbolsByEntry) {
  EXPECT_EQ(symbols_of(code_with("k", 1)).at("k"), "k_symbol");
}

}  // namespace
}  // namespace tilewright
