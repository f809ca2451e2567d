#include "tuner/space/limits.hpp"

#include <gtest/gtest.h>

#include "tests/unit/tuner/space/example.hpp"

namespace tilewright {
namespace {

using Extent = std::array<std::int64_t, 3>;

class StaticLimits : public ::testing::Test {
 protected:
  StaticLimits() {
    plan_.launches = {PlannedLaunch{"copy", {1, 1, 1}, {32, 1, 1}, {1, 1, 1}, 0, {}}};
  }

  std::optional<Violation> violation() const {
    return static_violation(implementation_, plan_, Scope(), device_);
  }

  void expect(const std::string& rule, const std::string& message) const {
    const auto found = violation();
    ASSERT_TRUE(found) << rule;
    EXPECT_EQ(found->rule, rule);
    EXPECT_EQ(found->message, message);
  }

  PlannedLaunch& launch() { return plan_.launches[0]; }

  Implementation implementation_ = test::plain();
  LaunchPlan plan_;
  Device device_ = test::hopper();
};

TEST_F(StaticLimits, AcceptWhatFitsExactly) {
  launch().block = {1024, 1, 1};
  launch().grid = {2147483647, 65535, 65535};
  launch().shared_bytes = 232448;
  implementation_.estimate.shared_bytes = Expression(232448);
  implementation_.estimate.registers = Expression(64);
  EXPECT_FALSE(violation());
}

TEST_F(StaticLimits, CheckTextures) {
  plan_.textures = {{0, ElementType::float32, 1, {100, 30}, {100}, {}},
                    {0, ElementType::float32, 1, {100, 30}, {100}, {TextureMemory::linear}}};
  launch().arguments = {{PlannedArgument::Kind::texture, 0, {}}};
  EXPECT_FALSE(violation());
  launch().arguments.push_back({PlannedArgument::Kind::texture, 1, {}});
  expect("texture",
         "argument 2: a row is 400 bytes; with memory = 'linear' it must be a multiple of 32, at "
         "most 2097120");
}

TEST_F(StaticLimits, CountThreads) {
  launch().block = {64, 32, 1};
  expect("threads_per_block", "block of 64 × 32 = 2048 threads; the device allows 1024");
  launch().block = {1025, 1, 1};
  expect("threads_per_block", "block of 1025 threads; the device allows 1024");
  launch().block = {std::int64_t{1} << 40, std::int64_t{1} << 40, 1};
  EXPECT_EQ(violation()->rule, "threads_per_block");
}

TEST_F(StaticLimits, CheckBlockDimensions) {
  launch().block = {1, 1, 65};
  expect("block_dimension", "block z = 65; the device allows 64");
}

TEST_F(StaticLimits, CheckGrids) {
  launch().grid = {1, 70000, 1};
  expect("grid_limit", "grid y = 70000; the device allows 65535");
  launch().grid = {1, 1, 65536};
  expect("grid_limit", "grid z = 65536; the device allows 65535");
  launch().grid = {2147483648, 1, 1};
  expect("grid_limit", "grid x = 2147483648; the device allows 2147483647");
}

TEST_F(StaticLimits, RefuseEmptyLaunches) {
  launch().grid = {1, 0, 1};
  expect("empty_launch", "grid y = 0; the least is 1");
  launch().grid = {1, 1, 1};
  launch().block = {-3, 1, 1};
  expect("empty_launch", "block x = -3; the least is 1");
  plan_.launches.clear();
  expect("empty_launch", "every launch's `when` is false: nothing would run");
}

TEST_F(StaticLimits, CheckTensorMaps) {
  PlannedArgument map;
  map.kind = PlannedArgument::Kind::tensor_map;
  map.map = {ElementType::float32, {100, 8}, {100}, {32, 8}, 0, 0};
  launch().arguments = {PlannedArgument{}, map};
  EXPECT_FALSE(violation());
  launch().arguments[1].map.box = {257, 8};
  expect("tensor_map", "argument 2: box[0] = 257; it must be 1 to 256");
  launch().arguments[1].kind = PlannedArgument::Kind::workspace_map;
  launch().arguments[1].map.box = {32, 8};
  EXPECT_FALSE(violation());
  launch().arguments[1].offset = 8;
  expect("tensor_map",
         "argument 2: it begins 8 bytes into the workspace; that must be a multiple of 16");
  device_.compute_capability = 89;
  expect("tensor_map", "argument 2 is a tensor map; compute capability 8.9 has no tensor maps");
}

TEST_F(StaticLimits, CheckSharedMemory) {
  launch().shared_bytes = 232449;
  expect("shared_memory",
         "dynamic shared memory of 232449 bytes a block; the device allows 232448");
  launch().shared_bytes = -4;
  expect("shared_memory", "dynamic shared memory = -4 bytes");
  launch().shared_bytes = 0;
  implementation_.estimate.shared_bytes = Expression(300000);
  expect("shared_memory",
         "estimated shared memory of 300000 bytes a block; the device allows 232448");
}

TEST_F(StaticLimits, RoundRegistersUp) {
  launch().block = {1024, 1, 1};
  implementation_.estimate.registers = Expression(65);
  expect("registers",
         "65 registers a thread, allocated as 72 × 1024 = 73728 a block; the device has 65536");
  launch().block = {897, 1, 1};  // 29 warps
  expect("registers",
         "65 registers a thread, allocated as 72 × 928 = 66816 a block; the device has 65536");
  launch().block = {896, 1, 1};
  EXPECT_FALSE(violation());
}

TEST_F(StaticLimits, DoNotPruneOnRegistersThatTheCompilerClamps) {
  launch().block = {256, 1, 1};
  implementation_.estimate.registers = Expression(400);
  EXPECT_FALSE(violation());
  launch().block = {257, 1, 1};
  EXPECT_EQ(violation()->rule, "registers");
}

TEST_F(StaticLimits, CheckClusters) {
  launch().grid = {12, 1, 1};
  launch().cluster = {4, 1, 1};
  EXPECT_FALSE(violation());
  launch().cluster = {5, 1, 1};
  expect("cluster", "cluster x = 5 does not divide grid x = 12");
  launch().cluster = {12, 1, 1};  // more than 8 need an opt-in
  EXPECT_FALSE(violation());
  launch().grid = {34, 1, 1};
  launch().cluster = {17, 1, 1};
  expect("cluster", "cluster of 17 = 17 blocks; the most is 16");
  launch().grid_texts[0] = "resident";  // not known yet
  launch().cluster = {5, 1, 1};
  EXPECT_FALSE(violation());
  launch().cluster = {0, 1, 1};
  expect("cluster", "cluster x = 0; the least is 1");
  launch().cluster = {2, 1, 1};
  device_.compute_capability = 86;
  expect("cluster", "cluster of 2 blocks; compute capability 8.6 has no clusters");
}

TEST_F(StaticLimits, NameTheLaunchOfSeveral) {
  PlannedLaunch second = launch();
  second.entry = "reduce";
  second.grid = {1, 70000, 1};
  plan_.launches.push_back(second);
  expect("grid_limit", "reduce: grid y = 70000; the device allows 65535");
}

TEST_F(StaticLimits, PassWhatTheDeviceDoesNotTell) {
  device_ = Device{};
  device_.max_threads_per_block = 0;
  device_.max_block = {0, 0, 0};
  device_.max_grid = {0, 0, 0};
  launch().block = {4096, 1, 1};
  launch().grid = {1, 70000, 1};
  launch().shared_bytes = 1 << 30;
  implementation_.estimate.registers = Expression(255);
  EXPECT_FALSE(violation());
}

TEST(RemarkRules, NameTheLineOfTheLog) {
  Implementation implementation;
  implementation.remarks = {{{"C7511"}, "too few registers for wgmma"},
                            {{"C7504", "C7508"}, "no setmaxnreg"}};
  const std::string log =
      "ptxas info    : (C7519) warpgroup.arrive is injected\n"
      "ptxas info    : (C7508) Potential Performance Loss: 'setmaxnreg' ignored.\n"
      "ptxas info    : Used C7511 registers\n";
  const auto found = remark_violation(implementation, log);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->rule, "no setmaxnreg");
  EXPECT_EQ(found->message,
            "ptxas info    : (C7508) Potential Performance Loss: 'setmaxnreg' ignored.");
  const auto first = remark_violation(implementation, "(C7511) serialised");
  ASSERT_TRUE(first);
  EXPECT_EQ(first->message, "(C7511) serialised");
  EXPECT_FALSE(remark_violation(implementation, "ptxas info    : (C7519) other\n"));
  EXPECT_FALSE(remark_violation({}, log));
}

Resources good() {
  Resources resources;
  resources.registers = 64;
  resources.shared_bytes = 8192;
  resources.spill_bytes = 0;
  resources.threads = 256;
  resources.blocks_per_sm = 4;
  resources.occupancy = 0.5;
  return resources;
}

void expect_violation(const Resources& resources, const ResourceFloor& floor,
                      const std::string& rule, const std::string& message) {
  const auto found = resource_violation(resources, test::hopper(), floor);
  ASSERT_TRUE(found) << rule;
  EXPECT_EQ(found->rule, rule);
  EXPECT_EQ(found->message, message);
}

TEST(ResourceLimits, AcceptWhatFits) {
  EXPECT_FALSE(resource_violation(good(), test::hopper(), {}));
  EXPECT_FALSE(resource_violation(good(), test::hopper(), {.occupancy = 0.5, .spill_bytes = 0}));
}

TEST(ResourceLimits, PassWhatIsNotKnown) {
  EXPECT_FALSE(
      resource_violation(Resources{}, test::hopper(), {.occupancy = 0.9, .spill_bytes = 0}));
  EXPECT_FALSE(resource_violation(good(), Device{}, {}));
}

TEST(ResourceLimits, CheckSharedMemory) {
  Resources resources = good();
  resources.shared_bytes = 232449;
  expect_violation(resources, {}, "shared_memory",
                   "shared memory of 232449 bytes a block; the device allows 232448");
}

TEST(ResourceLimits, CheckTheRegisterFile) {
  Resources resources = good();
  resources.registers = 168;
  resources.threads = 512;
  expect_violation(resources, {}, "registers_per_block",
                   "168 registers a thread, allocated as 168 × 512 = 86016 a block; the device "
                   "has 65536");
}

TEST(ResourceLimits, RefuseCodeThatIsNeverResident) {
  Resources resources = good();
  resources.blocks_per_sm = 0;
  expect_violation(resources, {}, "no_resident_block",
                   "no block fits on an SM: 256 threads, 64 registers a thread, 8192 bytes of "
                   "shared memory");
}

TEST(ResourceLimits, KeepTheCallersFloor) {
  Resources resources = good();
  resources.spill_bytes = 12;
  EXPECT_FALSE(resource_violation(resources, test::hopper(), {}));
  expect_violation(resources, {.occupancy = 0, .spill_bytes = 8}, "spills",
                   "12 bytes of spills a thread; at most 8 are accepted");
  expect_violation(good(), {.occupancy = 0.75, .spill_bytes = 0}, "occupancy",
                   "occupancy 0.500 (4 blocks of 256 threads on an SM); at least 0.750 is "
                   "required");
}

}  // namespace
}  // namespace tilewright
