// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// Launches a tuned product with an epilogue: C = GELU(A · B + bias). It runs on the GPU or, if
// there is none, on the host device.
//   tuned_gemm [DATABASE [SIZE]]
//   tuned_gemm results.db 1024
#include <tilewright/gemm.hpp>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <new>
#include <vector>

#ifdef WITH_CUDA
#include <cuda_runtime_api.h>
#endif

namespace {

// Memory that the device can read. The host device reads this program's memory.
class Numbers {
 public:
  Numbers(const std::vector<float>& values, bool on_gpu)
      : count_(values.size()), on_gpu_(on_gpu), memory_(allocate()) {
    copy(memory_, values.data());
  }
  Numbers(const Numbers&) = delete;
  Numbers& operator=(const Numbers&) = delete;
  ~Numbers() {
#ifdef WITH_CUDA
    if (on_gpu_) cudaFree(memory_);
#endif
    if (!on_gpu_) std::free(memory_);
  }

  float* data() {
    return static_cast<float*>(memory_);
  }
  // Waits for all earlier launches.
  std::vector<float> read() const {
    std::vector<float> values(count_);
    copy(values.data(), memory_);
    return values;
  }

 private:
  std::size_t bytes() const {
    return count_ * sizeof(float);
  }
  void* allocate() const {
#ifdef WITH_CUDA
    void* memory = nullptr;
    if (on_gpu_ && cudaMalloc(&memory, bytes()) != cudaSuccess) throw std::bad_alloc();
    if (on_gpu_) return memory;
#endif
    return std::aligned_alloc(256, (bytes() / 256 + 1) * 256);  // as a workspace needs
  }
  void copy(void* to, const void* from) const {
#ifdef WITH_CUDA
    if (on_gpu_) cudaMemcpy(to, from, bytes(), cudaMemcpyDefault);
#endif
    if (!on_gpu_ && count_ > 0) std::memcpy(to, from, bytes());
  }

  std::size_t count_;
  bool on_gpu_;
  void* memory_;
};

float gelu(float x) {
  return 0.5F * x * (1.0F + std::tanh(0.7978845608F * (x + 0.044715F * x * x * x)));
}

int multiply(const std::string& database, std::int64_t size) {
  tilewright::RuntimeOptions options;
  options.catalog.database = database;
  options.catalog.kernels = {KERNEL_TEMPLATES};
  const tilewright::Runtime runtime(options);

  tilewright::GemmOptions with_epilogue;
#ifndef WITH_CUDA
  with_epilogue.device = tilewright::DeviceSelector::host();
#endif
  with_epilogue.epilogue = "bias_gelu";
  const tilewright::Gemm gemm(runtime, with_epilogue);

  const auto n = static_cast<std::size_t>(size);
  const bool on_gpu = runtime.device(with_epilogue.device).kind == tilewright::DeviceKind::cuda;
  Numbers a(std::vector<float>(n * n, 0.5F), on_gpu), b(std::vector<float>(n * n, 0.25F), on_gpu),
      c(std::vector<float>(n * n), on_gpu), bias(std::vector<float>(n, -1.0F), on_gpu);
  const std::vector<tilewright::Operand> epilogue = {bias.data()};
  tilewright::GemmCall call;
  call.m = call.n = call.k = size;
  call.a = a.data();
  call.b = b.data();
  call.c = c.data();
  call.epilogue = epilogue;

  const tilewright::Kernel& kernel = gemm.kernel(call);
  std::cout << kernel.answer().implementation << ' '
            << tilewright::to_text(kernel.answer().configuration.values) << "\n  rung "
            << tilewright::to_text(kernel.answer().rung) << " on " << kernel.device().name << '\n';
  kernel.prepare();  // compiles, or takes the code from RuntimeOptions::cache
  Numbers workspace(
      std::vector<float>(static_cast<std::size_t>(kernel.workspace_bytes()) / sizeof(float)),
      on_gpu);
  gemm.launch(nullptr, call, {workspace.data()});

  const float expected = gelu(0.125F * static_cast<float>(size) - 1.0F);
  const float seen = c.read().back();
  std::cout << "C = " << seen << ", expected " << expected << '\n';
  return std::fabs(seen - expected) <= 1e-4F * std::fabs(expected) + 1e-5F ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return multiply(argc > 1 ? argv[1] : "", argc > 2 ? std::atoll(argv[2]) : 64);
  } catch (const std::exception& error) {
    std::cerr << "tuned_gemm: " << error.what() << '\n';
    return 2;
  }
}
