// Right kernels of every kind that a session must be able to run.
#include <gtest/gtest.h>

#include "tests/gpu/kernel_bench.hpp"
#include "tilewright/error.hpp"

namespace tilewright::test {
namespace {

using Session = SessionTest;

TEST_F(Session, ReportsWhatItChecked) {
  open_doubling();
  const Attempt<Verification> verified = judge(doubling_source());
  ASSERT_TRUE(verified.ok()) << to_text(verified);
  EXPECT_EQ(verified.value().outputs_checked, kCount);
  EXPECT_EQ(verified.value().outputs_total, kCount);
  EXPECT_EQ(verified.value().worst_error, 0);
  EXPECT_EQ(verified.value().worst_ratio, 0);
  EXPECT_EQ(verified.value().seed, 42U);
}

TEST_F(Session, ReportsResources) {
  open_doubling();
  const Attempt<Resources> loaded = session_->load(right_kernel());
  ASSERT_TRUE(loaded.ok()) << to_text(loaded);
  EXPECT_GT(loaded.value().registers, 0);
  EXPECT_EQ(loaded.value().shared_bytes, 0);
  EXPECT_EQ(loaded.value().stack_bytes, 0);
  EXPECT_EQ(loaded.value().threads, kThreads);
  EXPECT_GE(loaded.value().blocks_per_sm, 8);
  EXPECT_GT(loaded.value().occupancy, 0.4);
  EXPECT_LE(loaded.value().occupancy, 1.0);
}

TEST_F(Session, CanBeOpenedAgain) {
  open_doubling();
  expect_session_works();
  open_doubling();
  expect_session_works();
}

TEST_F(Session, RefusesADeviceThatIsNotThere) {
  SessionPlan plan = plan_of({doubling(kCount, device())});
  plan.device_index = 1000;
  EXPECT_THROW(session_->open(plan), MachineError);
}

TEST_F(Session, NothingLoadedIsAFailure) {
  open_doubling();
  EXPECT_FALSE(session_->verify().ok());
  EXPECT_FALSE(session_->sample({}).ok());
}

TEST_F(Session, VerifiesEveryProblemThatHasLaunches) {
  open({doubling(1024, device()), doubling(77, device()), doubling(5, device())});
  LaunchPlan first, second;
  first.launches = {doubling_launch(1024)};
  second.launches = {doubling_launch(77)};
  const auto verified =
      judge(kernel(doubling_source(), device(), std::vector<LaunchPlan>{first, second, {}}));
  ASSERT_TRUE(verified.ok()) << to_text(verified);
  EXPECT_EQ(verified.value().outputs_total, 1024 + 77);
}

TEST_F(Session, RunsMoreThan48KiBOfDynamicSharedMemory) {
  open_doubling();
  PlannedLaunch item = doubling_launch(kCount);
  item.shared_bytes = 100 * 1024;
  const KernelPlan plan = kernel(R"(
extern __shared__ float tile[];
extern "C" __global__ void run(const float* x, float* y, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int last = 100 * 1024 / 4 - 1;
  tile[last - threadIdx.x] = i < count ? x[i] : 0.0f;
  __syncthreads();
  if (i < count) y[i] = 2.0f * tile[last - threadIdx.x];
}
)",
                                 device(), item);
  const Attempt<Resources> loaded = session_->load(plan);
  ASSERT_TRUE(loaded.ok()) << to_text(loaded);
  EXPECT_EQ(loaded.value().shared_bytes, 100 * 1024);
  EXPECT_EQ(loaded.value().blocks_per_sm, device().shared_bytes_per_sm / (101 * 1024));
  const Attempt<Verification> verified = session_->verify();
  EXPECT_TRUE(verified.ok()) << to_text(verified);
}

TEST_F(Session, LaunchesClusters) {
  if (device().compute_capability < 90) GTEST_SKIP() << "clusters need compute capability 9.0";
  open_doubling();
  const int generation = device().compute_capability / 10;
  const std::int64_t most = generation == 9 || generation == 10 ? 16 : 8;
  for (const std::int64_t blocks : {std::int64_t{2}, most}) {
    PlannedLaunch item = doubling_launch(kCount);
    item.grid = {16, 1, 1};
    item.cluster = {blocks, 1, 1};
    item.arguments.push_back(number(static_cast<std::int32_t>(blocks)));
    const auto verified = judge(kernel(R"(
extern "C" __global__ void run(const float* x, float* y, int count, int blocks) {
  unsigned int size;
  asm("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(size));
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) y[i] = (size == blocks ? 2.0f : 0.0f) * x[i];
}
)",
                                       device(), item));
    EXPECT_TRUE(verified.ok()) << blocks << " blocks: " << to_text(verified);
  }
}

TEST_F(Session, RestoresInoutsBeforeEachVerification) {
  SessionProblem problem = doubling(kCount, device());
  problem.buffers[1].role = ArgumentRole::inout;
  const std::string source = R"(
extern "C" __global__ void run(const float* x, float* y, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) y[i] += x[i];
}
)";
  const KernelPlan adding = kernel(source, device(), doubling_launch(kCount));
  problem.reference.code = adding.code;
  open({problem});
  ASSERT_TRUE(session_->load(adding).ok());
  for (int time = 0; time < 2; ++time) {
    const Attempt<Verification> verified = session_->verify();
    EXPECT_TRUE(verified.ok()) << to_text(verified);
    ASSERT_TRUE(session_->sample({}).ok());
  }
  EXPECT_EQ(outcome(judge(doubling_source())), Outcome::wrong_answer);
}

TEST_F(Session, PassesScalarsAndArraysByValue) {
  SessionProblem problem = doubling(kCount, device());
  PlannedBuffer factor = buffer("factor", ArgumentRole::input, 1);
  factor.kind = ArgumentKind::scalar;
  factor.type = ElementType::int32;
  factor.has_value = true;
  factor.value = 2;
  PlannedBuffer weights = buffer("weights", ArgumentRole::input, 3);
  weights.kind = ArgumentKind::array;
  weights.capacity = 5;
  weights.fill.kind = Fill::Kind::constant;
  weights.fill.low = 1;
  problem.buffers.push_back(factor);
  problem.buffers.push_back(weights);
  open({problem});
  PlannedLaunch item = doubling_launch(kCount);
  item.arguments.insert(item.arguments.end(), {argument(2), argument(3)});
  const auto verified = judge(kernel(R"(
struct Weights { float values[5]; };
extern "C" __global__ void run(const float* x, float* y, int count, int factor, Weights weights) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float one = weights.values[0] * weights.values[1] * weights.values[2];
  if (i < count) y[i] = one * factor * x[i];
}
)",
                                     device(), item));
  EXPECT_TRUE(verified.ok()) << to_text(verified);
}

// Kernels `first` and `second` with a workspace of one float an element between them.
LaunchPlan two_launches(Workspace::Fill zero) {
  LaunchPlan plan;
  const auto count = static_cast<std::int32_t>(kCount);
  const std::int64_t blocks = doubling_launch(kCount).grid[0];
  plan.launches = {
      launch("first", blocks, kThreads, {argument(0), workspace(256), number(count)}),
      launch("second", blocks, kThreads, {workspace(256), argument(1), number(count)})};
  plan.workspace_bytes = 256 + 4 * kCount;
  plan.workspace_zero = zero;
  return plan;
}

std::string two_kernels(const std::string& first, const std::string& second) {
  const std::string index = "const int i = blockIdx.x * blockDim.x + threadIdx.x;";
  return R"(extern "C" __global__ void first(const float* x, float* w, int count) {)" + index +
         "if (i < count) {" + first +
         R"(} } extern "C" __global__ void second(float* w, float* y, int count) {)" + index +
         "if (i < count) {" + second + "} }";
}

TEST_F(Session, PassesAWorkspaceFromLaunchToLaunch) {
  open_doubling();
  const auto verified =
      judge(kernel(two_kernels("w[i] = x[i];", "y[i] = 2.0f * w[i];"), device(),
                   std::vector<LaunchPlan>{two_launches(Workspace::Fill::never)}));
  EXPECT_TRUE(verified.ok()) << to_text(verified);
}

TEST_F(Session, ClearsTheWorkspaceOnlyAsThePlanSays) {
  open_doubling();
  const std::string adds = two_kernels("w[i] += x[i];", "y[i] = 2.0f * w[i];");
  const std::string cleans = two_kernels("w[i] += x[i];", "y[i] = 2.0f * w[i]; w[i] = 0.0f;");
  const auto judged = [&](const std::string& source, Workspace::Fill zero) {
    return outcome(judge(kernel(source, device(), std::vector<LaunchPlan>{two_launches(zero)})));
  };
  EXPECT_EQ(judged(adds, Workspace::Fill::each), Outcome::measured);
  EXPECT_EQ(judged(adds, Workspace::Fill::never), Outcome::wrong_answer);
  EXPECT_EQ(judged(adds, Workspace::Fill::once), Outcome::wrong_answer);
  EXPECT_EQ(judged(cleans, Workspace::Fill::once), Outcome::measured);
}

TEST_F(Session, TimesAWorkspaceThatIsClearedAtEachCall) {
  open_doubling();
  const std::string source = two_kernels("w[i] += x[i];", "y[i] = 2.0f * w[i];");
  ASSERT_TRUE(
      judge(kernel(source, device(), std::vector<LaunchPlan>{two_launches(Workspace::Fill::each)}))
          .ok());
  const Attempt<Timing> timed = session_->sample({});
  ASSERT_TRUE(timed.ok()) << to_text(timed);
  EXPECT_GT(timed.value().median_us, 0);
}

}  // namespace
}  // namespace tilewright::test
