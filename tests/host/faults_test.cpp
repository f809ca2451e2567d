// Wrong kernels: each must be found out, named for what it did, and cost nobody else anything.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/host/host_support.hpp"

namespace tilewright::test {
namespace {

class HostFaults : public testing::Test {
 protected:
  void SetUp() override { session_->open(doubling()); }

  Attempt<Verification> judge(const std::string& source, std::int64_t shared_bytes = 0) {
    const Attempt<Resources> loaded = session_->load(doubling_kernel(source, shared_bytes));
    if (!loaded.ok()) return loaded.failure();
    return session_->verify();
  }

  // Judges a kernel, then that the session still works.
  void expect(const std::string& source, Outcome expected, const std::string& in_message = "",
              std::int64_t shared_bytes = 0) {
    const Attempt<Verification> verified = judge(source, shared_bytes);
    EXPECT_EQ(outcome(verified), expected) << source << ": " << to_text(verified);
    EXPECT_NE(to_text(verified).find(in_message), std::string::npos) << to_text(verified);
    const Attempt<Verification> right = judge(doubling_source());
    EXPECT_TRUE(right.ok()) << to_text(right);
  }

  // Found by guards, or, under the sanitizer, by it.
  void expect_out_of_bounds(const std::string& source, std::int64_t shared_bytes = 0) {
    expect(source, kSanitized ? Outcome::faulted : Outcome::wrote_out_of_bounds, "", shared_bytes);
  }

  std::unique_ptr<Evaluator> session_ = worker_session();
};

// y = 2x through shared memory: each thread writes its neighbour's number, and adds what a
// second round leaves there, which is nothing.
std::string exchange(const std::string& declaration, const std::string& first_barrier,
                     const std::string& second_barrier) {
  return fmt::format(R"(
extern "C" __global__ void run(const float* x, float* y, int count) {{
  {}
  const int first = blockIdx.x * blockDim.x, t = threadIdx.x;
  const int other = t % 2 == 0 ? t + 1 : t - 1;
  float sum = 0.0f;
  for (int round = 0; round < 2; ++round) {{
    shared[t] = first + t < count && round == 0 ? 2.0f * x[first + t] : 0.0f;
    {}
    sum += shared[other];
    {}
  }}
  if (first + other < count) y[first + other] = sum;
}})",
                     declaration, first_barrier, second_barrier);
}
constexpr const char* kStatic = "__shared__ float shared[128];";
constexpr const char* kDynamic = "extern __shared__ __align__(16) float shared[];";
constexpr const char* kBarrier = "__syncthreads();";

TEST_F(HostFaults, RightKernelsPassThroughSharedMemoryOfBothKinds) {
  expect(exchange(kStatic, kBarrier, kBarrier), Outcome::measured);
  expect(exchange(kDynamic, kBarrier, kBarrier), Outcome::measured, "", 512);
}

TEST_F(HostFaults, AMissingBarrierBeforeReading) {
  expect(exchange(kStatic, "", kBarrier), Outcome::wrong_answer);
  expect(exchange(kDynamic, "", kBarrier), Outcome::wrong_answer, "", 512);
}

TEST_F(HostFaults, AMissingBarrierBeforeOverwriting) {
  expect(exchange(kStatic, kBarrier, ""), Outcome::wrong_answer);
}

// y = 2x, if the statement leaves `value` as it is.
std::string in_warp(const std::string& statement) {
  return fmt::format(R"(
extern "C" __global__ void run(const float* x, float* y, int count) {{
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  float value = i < count ? 2.0f * x[i] : 0.0f;
  {}
  if (i < count) y[i] = value;
}})",
                     statement);
}

TEST_F(HostFaults, LanesThatExchangeValues) {
  expect(in_warp("value = __shfl_xor_sync(~0u, __shfl_xor_sync(~0u, value, 5), 5);"),
         Outcome::measured);
  expect(in_warp("if (lane < 8) value = __shfl_sync(0xff, value, lane);"), Outcome::measured);
  expect(in_warp("if (lane < 8) value = __shfl_sync(0xff, value, lane + 8);"),
         Outcome::wrong_answer);
  expect(in_warp("if (__activemask() == 0) value = 0;"), Outcome::measured);
  expect(in_warp("if (lane != 7) value = __shfl_sync(~0u, value, lane); else __syncthreads();"),
         Outcome::launch_failed, "where lane 7 does not come");
  expect(in_warp("if (lane == 9) return; value = __shfl_sync(~0u, value, lane);"),
         Outcome::launch_failed, "names lane 9, whose thread (9, 0, 0) has ended");
  expect(in_warp("value = __shfl_sync(0xfffffffe, value, lane);"), Outcome::launch_failed,
         "the mask 0xfffffffe does not name lane 0, which gives it");
}

// In forward order it is right: thread 0 writes first.
TEST_F(HostFaults, AMissingBarrierThatOneOrderHides) {
  expect(R"(
extern "C" __global__ void run(const float* x, float* y, int count) {
  __shared__ float two;
  if (threadIdx.x == 0) two = 2.0f;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) y[i] = two * x[i];
})",
         Outcome::wrong_answer, "reverse");
}

TEST_F(HostFaults, ADivergentBarrier) {
  expect(doubling_source("if (threadIdx.x < 32)\n __syncthreads();\nelse\n __syncthreads();"),
         Outcome::launch_failed, "divergent barrier at lines test.cu:6 and test.cu:8");
}

TEST_F(HostFaults, AThreadThatEndsEarlyIsNotWaitedFor) {
  expect(doubling_source("if (threadIdx.x < 32) return;\n __syncthreads();"), Outcome::measured);
}

TEST_F(HostFaults, AnUnwrittenOutput) {
  std::string source = doubling_source();
  source.replace(source.find("i < count"), 9, "i < count && i != 777");
  expect(source, Outcome::wrong_answer, "777");
}

TEST_F(HostFaults, OneWrongElement) {
  expect(doubling_source("if (i == 500) y[i] += 1.0f;"), Outcome::wrong_answer, "500");
}

// Right on a workspace that nobody has cleared, and wrong on what it leaves there.
TEST_F(HostFaults, AWorkspaceThatTheNextCallCannotUse) {
  const auto judge_with = [&](const char* factor) {
    KernelPlan plan = doubling_kernel(fmt::format(R"(
extern "C" __global__ void run(const float* x, float* y, int count, int* workspace) {{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) y[i] = {} * x[i];
  if (i < count) workspace[i] = 1;
}})",
                                                  factor));
    LaunchPlan& launches = plan.launches.front();
    PlannedArgument workspace;
    workspace.kind = PlannedArgument::Kind::workspace;
    launches.launches.front().arguments.push_back(workspace);
    launches.workspace_bytes = kCount * static_cast<std::int64_t>(sizeof(int));
    return session_->load(plan).ok() ? outcome(session_->verify()) : Outcome::launch_failed;
  };
  EXPECT_EQ(judge_with("(workspace[i] == 1 ? 3.0f : 2.0f)"), Outcome::wrong_answer);
  EXPECT_EQ(judge_with("2.0f"), Outcome::measured);
}

// Made before the calls, so a call that changes it spoils the next one.
TEST_F(HostFaults, APreparedInputThatACallChanges) {
  const auto judge_with = [&](const char* more, std::int64_t bytes) {
    KernelPlan plan = doubling_kernel(fmt::format(R"(
extern "C" __global__ void run(const float* x, float* y, int count, float* prepared) {{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) y[i] = prepared[i];
  {}
}}
extern "C" __global__ void prepare(const float* x, float* prepared, int count) {{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) prepared[i] = 2.0f * x[i];
}})",
                                                  more),
                                      0, {"run", "prepare"});
    LaunchPlan& launches = plan.launches.front();
    PlannedLaunch& run = launches.launches.front();
    PlannedArgument prepared;
    prepared.kind = PlannedArgument::Kind::workspace;
    prepared.prepared = true;
    run.arguments.push_back(prepared);
    PlannedLaunch prepare = run;
    prepare.entry = "prepare";
    prepare.prepares = true;
    prepare.arguments = {run.arguments[0], prepared, run.arguments[2]};
    launches.launches.push_back(prepare);
    launches.prepared_bytes = bytes;
    if (!session_->load(plan).ok()) return Outcome::launch_failed;
    const Outcome verified = outcome(session_->verify());
    return verified == Outcome::measured ? outcome(session_->sample({})) : verified;
  };
  constexpr auto kBytes = kCount * static_cast<std::int64_t>(sizeof(float));
  EXPECT_EQ(judge_with("", kBytes), Outcome::measured);
  EXPECT_EQ(judge_with("if (i < count) prepared[i] = 3.0f;", kBytes), Outcome::wrong_answer);
  EXPECT_EQ(judge_with("", kBytes - 4),
            kSanitized ? Outcome::faulted : Outcome::wrote_out_of_bounds);
}

TEST_F(HostFaults, AWriteJustPastTheEnd) {
  expect_out_of_bounds(doubling_source("if (i == 0) y[count] = 1.0f;"));
}

TEST_F(HostFaults, AWriteBeforeTheStart) {
  expect_out_of_bounds(doubling_source("if (i == 0) y[-1] = 1.0f;"));
}

TEST_F(HostFaults, AnInputOverwritten) {
  expect(doubling_source("if (i == 3) const_cast<float*>(x)[3] = 9.0f;"),
         Outcome::wrote_out_of_bounds, "input x");
}

TEST_F(HostFaults, AWriteBeyondDynamicSharedMemory) {
  expect_out_of_bounds(doubling_source("extern __shared__ float s[]; s[threadIdx.x + 1] = x[0];"),
                       512);
}

TEST_F(HostFaults, OnlyTheSanitizerSeesReadsAndStaticSharedMemory) {
  if (!kSanitized) GTEST_SKIP() << "needs a build with the address sanitizer";
  expect(doubling_source("if (i == 0 && x[count] == 7.0f) y[0] = 8.0f;"), Outcome::faulted);
  expect(doubling_source("__shared__ float s[8]; float* volatile p = s; p[threadIdx.x] = 1.0f;"),
         Outcome::faulted);
}

TEST_F(HostFaults, AnIllegalAddressCostsOnlyItsWorker) {
  expect(doubling_source("if (i == 5) *(volatile float*)16 = 1.0f;"), Outcome::faulted);
  EXPECT_EQ(session_->restarts(), 1);
}

TEST_F(HostFaults, ArgumentsThatTheKernelDoesNotTake) {
  KernelPlan plan = doubling_kernel(doubling_source());
  plan.launches.front().launches.front().arguments.pop_back();
  EXPECT_EQ(outcome(session_->load(plan)), Outcome::launch_failed);
  plan = doubling_kernel(doubling_source());
  plan.launches.front().launches.front().arguments.back().bytes.resize(8);
  EXPECT_EQ(outcome(session_->load(plan)), Outcome::launch_failed);
}

TEST_F(HostFaults, LaunchesFollowOneAnother) {
  KernelPlan plan = doubling_kernel(doubling_source());
  plan.launches.front().launches.front().dependent_launch = true;
  ASSERT_TRUE(session_->load(plan).ok());
  EXPECT_TRUE(session_->verify().ok());
}

TEST_F(HostFaults, CodeThatIsNone) {
  KernelPlan plan = doubling_kernel(doubling_source());
  plan.code = {1, 2, 3};
  EXPECT_EQ(outcome(session_->load(plan)), Outcome::launch_failed);
  plan = doubling_kernel(doubling_source());
  plan.symbols["run"] = "nothing";
  EXPECT_EQ(outcome(session_->load(plan)), Outcome::launch_failed);
}

TEST_F(HostFaults, TimesARightKernel) {
  ASSERT_TRUE(judge(doubling_source()).ok());
  const Attempt<Timing> timed = session_->sample({});
  ASSERT_TRUE(timed.ok()) << to_text(timed);
  EXPECT_GT(timed.value().median_us, 0);
  EXPECT_GE(timed.value().samples_us.size(), 2U);
}

}  // namespace
}  // namespace tilewright::test
