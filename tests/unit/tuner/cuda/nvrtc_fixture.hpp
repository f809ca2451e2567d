#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tilewright/error.hpp"
#include "tuner/cuda/compile/nvrtc.hpp"

namespace tilewright::cuda {

inline constexpr const char* kSource = R"(
extern "C" __global__ void scale(float* x, int n) {
  __shared__ float tile[WIDTH];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x % WIDTH] = i < n ? x[i] : 0;
  __syncthreads();
  if (i < n) x[i] = tile[(threadIdx.x + 1) % WIDTH];
}
)";

inline CompileRequest request_of(std::string source, std::vector<std::string> entries) {
  CompileRequest request;
  request.source = std::move(source);
  request.source_name = "test.cu";
  request.architecture = "sm_90";
  request.entries = std::move(entries);
  return request;
}

class NvrtcTest : public testing::Test {
 protected:
  void SetUp() override {
    try {
      nvrtc_ = std::make_unique<Nvrtc>();
    } catch (const MachineError& error) {
      GTEST_SKIP() << error.what();
    }
  }
  CompileResult compile(const CompileRequest& request) { return nvrtc_->compile(request); }
  CompileResult compile_scale(std::vector<std::string> options) {
    CompileRequest request = request_of(kSource, {"scale"});
    request.options = std::move(options);
    return compile(request);
  }

  std::unique_ptr<Nvrtc> nvrtc_;
};

}  // namespace tilewright::cuda
