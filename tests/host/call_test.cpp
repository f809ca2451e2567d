// Cooperative launches and loops on the host device.
#include <gtest/gtest.h>

#include "tests/host/host_support.hpp"
#include "tuner/host/session/session.hpp"

namespace tilewright::test {
namespace {

class HostCall : public ::testing::Test {
 protected:
  void SetUp() override { session_->open(doubling()); }

  // Empty if the answers are right.
  std::string failure_of(const KernelPlan& kernel) const {
    const Attempt<Resources> loaded = session_->load(kernel);
    if (!loaded.ok()) return loaded.failure().message;
    const Attempt<Verification> verified = session_->verify();
    return verified.ok() ? "" : verified.failure().message;
  }

  std::unique_ptr<Evaluator> session_ = host::make_session();
};

PlannedLaunch& launch_of(KernelPlan& kernel) {
  return kernel.launches.front().launches.front();
}

// Each block writes what the block behind it needs.
constexpr const char* kCooperative = R"(
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void run(const float* x, float* y, int count) {
  cg::grid_group grid = cg::this_grid();
  const int blocks = grid.num_blocks();
  const int first = blockIdx.x * blockDim.x + threadIdx.x;
  const int step = blocks * blockDim.x;
  for (int i = first; i < count; i += step) y[count - 1 - i] = x[i];
  GRID_SYNC
  float mine[16];
  int n = 0;
  for (int i = first; i < count; i += step) mine[n++] = y[count - 1 - i];
  grid.sync();
  n = 0;
  for (int i = first; i < count; i += step) y[i] = grid.is_valid() ? 2 * mine[n++] : 0;
}
)";

std::string cooperative_source(const std::string& sync) {
  std::string text = kCooperative;
  return text.replace(text.find("GRID_SYNC"), 9, sync);
}

TEST_F(HostCall, BlocksOfACooperativeLaunchWaitForEachOther) {
  KernelPlan kernel = doubling_kernel(cooperative_source("grid.sync();"));
  launch_of(kernel).cooperative = true;
  EXPECT_EQ(failure_of(kernel), "");
}

TEST_F(HostCall, GridsMayDependOnTheResidentBlocks) {
  KernelPlan kernel = doubling_kernel(cooperative_source("cg::sync(grid);"));
  launch_of(kernel).cooperative = true;
  launch_of(kernel).grid_texts[0] = "min(resident / 2, 100)";
  EXPECT_EQ(failure_of(kernel), "");
  launch_of(kernel).grid_texts[0] = "resident - 16";
  EXPECT_EQ(failure_of(kernel),
            "run: grid[0] = resident - 16 with 16 resident blocks is 0; the least is 1");
}

TEST_F(HostCall, AnOrdinaryLaunchCannotWaitForItsGrid) {
  const std::string failure = failure_of(doubling_kernel(cooperative_source("grid.sync();")));
  EXPECT_NE(failure.find("the blocks of a grid wait for each other, and the launch is not "
                         "cooperative"),
            std::string::npos)
      << failure;
}

TEST_F(HostCall, ABlockThatDoesNotComeIsADeadlock) {
  KernelPlan kernel = doubling_kernel(cooperative_source(
      "if (blockIdx.x == 1) __syncthreads();\nif (blockIdx.x != 1 || threadIdx.x > 0) grid.sync();"
      "\nif (blockIdx.x == 1 && threadIdx.x == 0) __syncthreads();"));
  launch_of(kernel).cooperative = true;
  const std::string failure = failure_of(kernel);
  EXPECT_NE(failure.find("deadlock"), std::string::npos) << failure;
  EXPECT_NE(failure.find("of the grid waits for its grid"), std::string::npos) << failure;
}

TEST_F(HostCall, HasNoMoreBlocksThanItCanHold) {
  KernelPlan kernel = doubling_kernel(cooperative_source("grid.sync();"));
  launch_of(kernel).cooperative = true;
  launch_of(kernel).grid = {257, 1, 1};
  EXPECT_EQ(failure_of(kernel),
            "run: a cooperative launch of 257 blocks; the host device holds 256 at once");
  launch_of(kernel).grid = {8, 1, 1};
  launch_of(kernel).cluster = {2, 1, 1};
  EXPECT_EQ(failure_of(kernel), "run: the host device has no cooperative launches of clusters");
}

// Five trips make 64 · x of x, the last launch 2 · x.
TEST_F(HostCall, PartsOfTheWorkspaceChangePlaces) {
  const std::string source = R"(
extern "C" __global__ void run(const float* from, float* to, int trip) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 1000) to[i] = trip < 0 ? from[i] : trip == 5 ? from[i] / 32 : trip == 2 ? 4 * from[i] : 2 * from[i];
}
)";
  KernelPlan kernel = doubling_kernel(source);
  PlannedLaunch launch = launch_of(kernel);
  const auto workspace = [](std::int64_t offset) {
    PlannedArgument argument;
    argument.kind = PlannedArgument::Kind::workspace;
    argument.offset = offset;
    return argument;
  };
  PlannedArgument trip;
  trip.kind = PlannedArgument::Kind::trip;
  const auto with = [&](PlannedArgument from, PlannedArgument to, PlannedArgument number) {
    launch.arguments = {from, to, number};
    return launch;
  };
  const PlannedArgument x = launch.arguments[0];
  const PlannedArgument y = launch.arguments[1];
  PlannedArgument minus = launch.arguments[2];
  minus.bytes = {255, 255, 255, 255};
  PlannedArgument five = minus;
  five.bytes = {5, 0, 0, 0};
  LaunchPlan& plan = kernel.launches.front();
  plan.workspace_bytes = 8000;
  // After five trips the second part is the newest.
  plan.launches = {with(x, workspace(0), minus), with(workspace(0), workspace(4000), trip),
                   with(workspace(4000), y, five)};
  plan.loops = {{1, 1, 5, {workspace(0), workspace(4000)}}};
  EXPECT_EQ(failure_of(kernel), "");
  plan.loops[0].trips = 4;
  EXPECT_NE(failure_of(kernel), "");
  plan.loops[0].count = 3;
  EXPECT_EQ(failure_of(kernel), "a loop of 3 launches from launch 1 on");
}

TEST_F(HostCall, ATripIsOfALoop) {
  KernelPlan kernel = doubling_kernel(doubling_source());
  launch_of(kernel).arguments[2].kind = PlannedArgument::Kind::trip;
  EXPECT_EQ(failure_of(kernel), "the trip of a loop in a launch of no loop");
}

}  // namespace
}  // namespace tilewright::test
