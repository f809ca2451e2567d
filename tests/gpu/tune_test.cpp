// tilewright::tune() on arrays in a GPU's memory.
#include <cuda_runtime_api.h>

#include "tests/gpu/gpu_support.hpp"
#include "tests/unit/campaign/scale_request.hpp"

namespace tilewright::test {
namespace {

class TuneOnGpu : public ScaleRequest {
 protected:
  void SetUp() override {
    const DeviceList gpus = cuda::list_devices();
    if (gpus.devices.empty()) GTEST_SKIP() << gpus.why;
    request_.device = "cuda:0";
    request_.worker = test::program_folder() / "tilewright-worker";
    request_.toolkit_folders = {test::program_folder()};
    ASSERT_EQ(cudaMalloc(&memory_, bytes()), cudaSuccess);
    ASSERT_EQ(cudaMemcpy(memory_, x_.data(), bytes(), cudaMemcpyDefault), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);  // small copies may go on
    request_.arrays[0] = {"x", memory_, bytes(), TuneMemory::device};
  }
  void TearDown() override { cudaFree(memory_); }

  std::size_t bytes() const { return x_.size() * sizeof(float); }

  // As it was, which also says that this process's context is alive.
  void expect_array_unchanged() const {
    std::vector<float> now(x_.size());
    ASSERT_EQ(cudaMemcpy(now.data(), memory_, bytes(), cudaMemcpyDefault), cudaSuccess);
    EXPECT_EQ(now, x_);
  }

  void* memory_ = nullptr;
};

TEST_F(TuneOnGpu, TakesDeviceMemory) {
  const TuneResult result = tune(request_);
  EXPECT_TRUE(result.found()) << result.failure;
  EXPECT_EQ(result.outcomes.at(Outcome::measured), 2U);
  expect_array_unchanged();
}

TEST_F(TuneOnGpu, RunsInThisProcessWhereItIsAsked) {
  request_.isolation = Isolation::caller;
  const TuneResult result = tune(request_);
  EXPECT_TRUE(result.found()) << result.failure;
  int device = -1;
  EXPECT_EQ(cudaGetDevice(&device), cudaSuccess);
  EXPECT_EQ(device, 0);
  expect_array_unchanged();
}

TEST_F(TuneOnGpu, MemoryOfTheHostIsNotTakenForDeviceMemory) {
  request_.arrays[0].data = x_.data();
  try {
    tune(request_);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("'x'"), std::string::npos) << error.what();
  }
  expect_array_unchanged();
}

// A fault in a process of its own costs trials; this process's context lives on.
TEST_F(TuneOnGpu, FaultsCostThisProcessNothing) {
  folder_.write("scale.cu", R"text(
extern "C" __global__ void scale(const float* x, float factor, float* y, int n) {
  *reinterpret_cast<volatile float*>(16) = factor;
}
)text");
  const TuneResult result = tune(request_);
  EXPECT_FALSE(result.found());
  EXPECT_EQ(result.outcomes.at(Outcome::faulted), 2U) << result.failure;
  expect_array_unchanged();
}

}  // namespace
}  // namespace tilewright::test
