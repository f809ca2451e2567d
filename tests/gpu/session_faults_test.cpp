// Wrong kernels: each must be found out, named for what it did, and cost nobody else anything.
#include <gtest/gtest.h>

#include "tests/gpu/kernel_bench.hpp"
#include "tuner/plan/launch_plan.hpp"
#include "tuner/worker/device_client.hpp"

namespace tilewright::test {
namespace {

class SessionFaults : public SessionTest {
 protected:
  void SetUp() override {
    SessionTest::SetUp();
    if (!IsSkipped()) open_doubling();
  }

  // Judges a right kernel with a mistake after it, then that the session still works.
  void expect(const std::string& mistake, Outcome expected, const std::string& in_message = "") {
    const Attempt<Verification> verified = judge(doubling_source(mistake));
    EXPECT_EQ(outcome(verified), expected) << mistake << ": " << to_text(verified);
    EXPECT_NE(to_text(verified).find(in_message), std::string::npos) << to_text(verified);
    expect_session_works();
  }
};

TEST_F(SessionFaults, OneWrongElement) {
  expect("if (i == 500) y[i] += 1.0f;", Outcome::wrong_answer, "500");
}

TEST_F(SessionFaults, AnUnwrittenOutput) {
  const auto verified = judge(R"(
extern "C" __global__ void run(const float* x, float* y, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count && i != 5) y[i] = 2.0f * x[i];
}
)");
  EXPECT_EQ(outcome(verified), Outcome::wrong_answer) << to_text(verified);
  expect_session_works();
}

TEST_F(SessionFaults, NothingWrittenAtAll) {
  const auto verified = judge(R"(
extern "C" __global__ void run(const float* x, float* y, int count) {}
)");
  EXPECT_EQ(outcome(verified), Outcome::wrong_answer) << to_text(verified);
}

constexpr const char* kTakesAMap = R"(
struct alignas(64) TensorMap { unsigned long long words[16]; };
extern "C" __global__ void run(const __grid_constant__ TensorMap map, float* y, int count) {
  if (map.words[0] == 0) y[count - 1] = 0.0f;
}
)";

TEST_F(SessionFaults, ATensorMapThatTheHardwareCannotDo) {
  if (device().compute_capability < kFirstCapabilityWithTensorMaps)
    GTEST_SKIP() << "this device has no tensor maps";
  PlannedLaunch item = doubling_launch(kCount);
  item.arguments[0].kind = PlannedArgument::Kind::tensor_map;
  item.arguments[0].map = {ElementType::float32, {kCount}, {}, {256}, 0, 0};
  EXPECT_TRUE(session_->load(kernel(kTakesAMap, device(), item)).ok());
  item.arguments[0].map.box = {257};
  const Attempt<Resources> loaded = session_->load(kernel(kTakesAMap, device(), item));
  EXPECT_EQ(outcome(loaded), Outcome::launch_failed);
  EXPECT_NE(to_text(loaded).find("box[0] = 257"), std::string::npos) << to_text(loaded);
  expect_session_works();
}

TEST_F(SessionFaults, TensorMapsOfEveryElementType) {
  if (device().compute_capability < kFirstCapabilityWithTensorMaps)
    GTEST_SKIP() << "this device has no tensor maps";
  for (const ElementTypeFacts& facts : kElementTypes) {
    const ElementType type = type_named(facts.name).value();
    const auto row = 32 / static_cast<std::int64_t>(size_of(type));
    PlannedLaunch item = doubling_launch(kCount);
    item.arguments[0].kind = PlannedArgument::Kind::tensor_map;
    item.arguments[0].map = {type, {row, 4}, {row}, {row, 2}, 32, 128};
    const Attempt<Resources> loaded = session_->load(kernel(kTakesAMap, device(), item));
    EXPECT_TRUE(loaded.ok()) << facts.name << ": " << to_text(loaded);
  }
}

// At the limits that the driver has for each number of dimensions, and beyond them.
TEST_F(SessionFaults, TensorMapsInIm2colMode) {
  if (device().compute_capability < kFirstCapabilityWithTensorMaps)
    GTEST_SKIP() << "this device has no tensor maps";
  PlannedLaunch item = doubling_launch(kCount);
  PlannedArgument& argument = item.arguments[0];
  argument.kind = PlannedArgument::Kind::tensor_map;
  for (const std::size_t rank : {3U, 4U, 5U}) {
    const std::int64_t limit = rank == 3 ? 32768 : rank == 4 ? 128 : 16;
    PlannedTensorMap map{ElementType::float16, {8}, {}, {8, 1024}};
    for (std::size_t d = 1; d < rank; ++d) {
      map.dims.push_back(2);
      map.strides.push_back(std::int64_t{4} << d);
    }
    map.lower_corner.assign(rank - 2, -limit);
    map.upper_corner.assign(rank - 2, limit - 1);
    map.element_strides.assign(rank - 2, 8);
    map.nan_fill = true;
    argument.map = map;
    const Attempt<Resources> loaded = session_->load(kernel(kTakesAMap, device(), item));
    EXPECT_TRUE(loaded.ok()) << rank << ": " << to_text(loaded);
    argument.map.lower_corner[0] = -limit - 1;
    EXPECT_EQ(outcome(session_->load(kernel(kTakesAMap, device(), item))), Outcome::launch_failed);
  }
}

TEST_F(SessionFaults, ANaN) {
  expect("if (i == 7) y[i] = __int_as_float(0x7fc00000);", Outcome::wrong_answer);
}

TEST_F(SessionFaults, AnInfinity) {
  expect("if (i == 7) y[i] = __int_as_float(0x7f800000);", Outcome::wrong_answer);
}

TEST_F(SessionFaults, AWriteJustPastTheEnd) {
  expect("if (i == 0) y[count] = 1.0f;", Outcome::wrote_out_of_bounds, "outside y");
  expect("if (i == 0) y[count] = 1.0f;", Outcome::wrote_out_of_bounds, "offset 4000 ");
  expect("if (i == 0) y[count + 1023] = 1.0f;", Outcome::wrote_out_of_bounds, "outside y");
}

TEST_F(SessionFaults, AWriteBeforeTheStart) {
  expect("if (i == 0) y[-1] = 1.0f;", Outcome::wrote_out_of_bounds, "offset -4 ");
  expect("if (i == 0) y[-1024] = 1.0f;", Outcome::wrote_out_of_bounds, "outside y");
}

TEST_F(SessionFaults, AWriteBesideAnInput) {
  expect("if (i == 0) const_cast<float*>(x)[-1] = 1.0f;", Outcome::wrote_out_of_bounds,
         "outside x");
}

TEST_F(SessionFaults, AnInputOverwritten) {
  expect("if (i == 3) const_cast<float*>(x)[i] = 77.0f;", Outcome::wrote_out_of_bounds,
         "the input x at byte 1");
}

TEST_F(SessionFaults, AnInputOverwrittenInALargeBuffer) {
  constexpr std::int64_t kLarge = 24'000'001;
  open({doubling(kLarge, device())});
  const std::string source = doubling_source("if (i == count - 1) const_cast<float*>(x)[i] += 1;");
  const auto verified = judge(kernel(source, device(), doubling_launch(kLarge)));
  EXPECT_EQ(outcome(verified), Outcome::wrote_out_of_bounds) << to_text(verified);
  EXPECT_NE(to_text(verified).find("the input x at byte 960000"), std::string::npos)
      << to_text(verified);
  const auto again = judge(kernel(doubling_source(), device(), doubling_launch(kLarge)));
  EXPECT_TRUE(again.ok()) << to_text(again);
}

TEST_F(SessionFaults, AnInputOverwrittenWithoutServiceKernels) {
  SessionPlan plan = plan_of({doubling(kCount, device())});
  plan.probe_code.clear();
  session_->open(plan);
  expect("if (i == 3) const_cast<float*>(x)[i] = 77.0f;", Outcome::wrote_out_of_bounds,
         "the input x at byte 1");
}

TEST_F(SessionFaults, AWriteOutsideTheWorkspace) {
  LaunchPlan plan;
  PlannedLaunch item = doubling_launch(kCount);
  item.arguments.push_back(workspace(0));
  plan.launches = {item};
  plan.workspace_bytes = 100;
  const auto verified = judge(kernel(R"(
extern "C" __global__ void run(const float* x, float* y, int count, float* workspace) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) y[i] = 2.0f * x[i];
  if (i == 0) workspace[25] = 1.0f;
}
)",
                                     device(), std::vector<LaunchPlan>{plan}));
  EXPECT_EQ(outcome(verified), Outcome::wrote_out_of_bounds) << to_text(verified);
  EXPECT_NE(to_text(verified).find("workspace"), std::string::npos) << to_text(verified);
}

TEST_F(SessionFaults, AMistakeOnARaggedProblemNamesIt) {
  open({doubling(1024, device()), doubling(77, device())});
  LaunchPlan first, second;
  first.launches = {doubling_launch(1024)};
  second.launches = {doubling_launch(77)};
  const std::string careless = R"(
extern "C" __global__ void run(const float* x, float* y, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = 2.0f * x[i];
}
)";
  const auto verified = judge(kernel(careless, device(), std::vector<LaunchPlan>{first, second}));
  EXPECT_EQ(outcome(verified), Outcome::wrote_out_of_bounds) << to_text(verified);
  EXPECT_NE(to_text(verified).find("count=77"), std::string::npos) << to_text(verified);
}

TEST_F(SessionFaults, TooMuchDynamicSharedMemory) {
  PlannedLaunch item = doubling_launch(kCount);
  item.shared_bytes = 300'000;
  const auto loaded = session_->load(kernel(doubling_source(), device(), item));
  EXPECT_EQ(outcome(loaded), Outcome::launch_failed) << to_text(loaded);
  EXPECT_NE(to_text(loaded).find("300000"), std::string::npos) << to_text(loaded);
  expect_session_works();
}

TEST_F(SessionFaults, TooManyThreads) {
  PlannedLaunch item = doubling_launch(kCount);
  item.block = {2048, 1, 1};
  const auto verified = judge(kernel(doubling_source(), device(), item));
  EXPECT_EQ(outcome(verified), Outcome::launch_failed) << to_text(verified);
  expect_session_works();
}

TEST_F(SessionFaults, AGridWithoutBlocks) {
  PlannedLaunch item = doubling_launch(kCount);
  item.grid = {0, 1, 1};
  const auto loaded = session_->load(kernel(doubling_source(), device(), item));
  EXPECT_EQ(outcome(loaded), Outcome::launch_failed) << to_text(loaded);
  expect_session_works();
}

TEST_F(SessionFaults, AnArgumentOfTheWrongSize) {
  if (compiler().version().rfind("NVRTC 12", 0) == 0)
    GTEST_SKIP() << "CUDA 12 cannot tell the sizes of a kernel's parameters";
  PlannedLaunch item = doubling_launch(kCount);
  item.arguments[2] = number64(kCount);
  const auto loaded = session_->load(kernel(doubling_source(), device(), item));
  EXPECT_EQ(outcome(loaded), Outcome::launch_failed) << to_text(loaded);
  EXPECT_NE(to_text(loaded).find("run: argument 3 has"), std::string::npos) << to_text(loaded);
  expect_session_works();
}

TEST_F(SessionFaults, NoLaunchesForTheTunedProblem) {
  KernelPlan plan = right_kernel();
  plan.launches = {LaunchPlan{}};
  EXPECT_EQ(outcome(session_->load(plan)), Outcome::launch_failed);
  expect_session_works();
}

TEST_F(SessionFaults, ASymbolThatTheCodeHasNot) {
  KernelPlan plan = right_kernel();
  plan.symbols["run"] = "walk";
  EXPECT_EQ(outcome(session_->load(plan)), Outcome::launch_failed);
  expect_session_works();
}

TEST_F(SessionFaults, CodeThatIsNone) {
  KernelPlan plan = right_kernel();
  plan.code.assign(256, 0);
  EXPECT_EQ(outcome(session_->load(plan)), Outcome::launch_failed);
  expect_session_works();
}

TEST_F(SessionFaults, AnIllegalAddressCostsOnlyItsWorker) {
  DeviceClientOptions options;
  options.worker = program_folder() / "tilewright-worker";
  const std::unique_ptr<Evaluator> client_owner = make_device_client(options);
  Evaluator& client = *client_owner;
  client.open(plan_of({doubling(kCount, device())}));
  const KernelPlan wild =
      kernel(doubling_source("if (i == 0) *reinterpret_cast<float*>(8ull) = 1.0f;"), device(),
             doubling_launch(kCount));
  ASSERT_TRUE(client.load(wild).ok());
  const auto faulted = client.verify();
  EXPECT_EQ(outcome(faulted), Outcome::faulted) << to_text(faulted);
  EXPECT_NE(to_text(faulted).find("cudaError"), std::string::npos) << to_text(faulted);
  const auto loaded = client.load(right_kernel());
  ASSERT_TRUE(loaded.ok()) << to_text(loaded);
  EXPECT_TRUE(client.verify().ok());
  EXPECT_TRUE(client.sample({}).ok());
  EXPECT_EQ(client.restarts(), 1);
}

TEST_F(SessionFaults, AnIllegalAddressWhileTimedIsAFault) {
  DeviceClientOptions options;
  options.worker = program_folder() / "tilewright-worker";
  const std::unique_ptr<Evaluator> client_owner = make_device_client(options);
  Evaluator& client = *client_owner;
  client.open(plan_of({doubling(kCount, device())}));
  ASSERT_TRUE(client
                  .load(kernel(doubling_source("if (i == 0) asm volatile(\"trap;\");"), device(),
                               doubling_launch(kCount)))
                  .ok());
  const auto faulted = client.sample({});
  EXPECT_EQ(outcome(faulted), Outcome::faulted) << to_text(faulted);
}

}  // namespace
}  // namespace tilewright::test
