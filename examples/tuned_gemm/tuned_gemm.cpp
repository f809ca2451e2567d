// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// Launches a tuned product with an epilogue: C = GELU(A · B + bias). It runs on the GPU or, if
// there is none, on the host device.
//   tuned_gemm [DATABASE [SIZE]]
//   tuned_gemm results.db 1024
#include <tilewright/gemm.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <new>
#include <vector>

#ifdef WITH_CUDA
#include <cuda_runtime_api.h>
#endif

namespace {

// Memory that the device can read. The host device reads this program's memory.
std::shared_ptr<float> allocate(std::size_t count, [[maybe_unused]] bool on_gpu) {
  const std::size_t bytes = count * sizeof(float);
#ifdef WITH_CUDA
  void* memory = nullptr;
  if (on_gpu && cudaMalloc(&memory, bytes) != cudaSuccess) throw std::bad_alloc();
  if (on_gpu) return {static_cast<float*>(memory), cudaFree};
#endif
  const std::size_t aligned = (bytes / 256 + 1) * 256;  // as a workspace needs
  return {static_cast<float*>(std::aligned_alloc(256, aligned)), std::free};
}

// Waits for all earlier launches.
void copy(float* to, const float* from, std::size_t count, bool on_gpu) {
#ifdef WITH_CUDA
  if (on_gpu) cudaMemcpy(to, from, count * sizeof(float), cudaMemcpyDefault);
#endif
  if (!on_gpu) std::copy_n(from, count, to);
}

std::shared_ptr<float> filled(std::size_t count, float value, bool on_gpu) {
  auto memory = allocate(count, on_gpu);
  copy(memory.get(), std::vector<float>(count, value).data(), count, on_gpu);
  return memory;
}

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
  const auto a = filled(n * n, 0.5F, on_gpu), b = filled(n * n, 0.25F, on_gpu),
             c = allocate(n * n, on_gpu), bias = filled(n, -1.0F, on_gpu);
  const std::vector<tilewright::Operand> epilogue = {bias.get()};
  tilewright::GemmCall call;
  call.m = call.n = call.k = size;
  call.a = a.get();
  call.b = b.get();
  call.c = c.get();
  call.epilogue = epilogue;

  const tilewright::Kernel& kernel = gemm.kernel(call);
  std::cout << kernel.answer().implementation << ' '
            << tilewright::to_text(kernel.answer().configuration.values) << "\n  rung "
            << tilewright::to_text(kernel.answer().rung) << " on " << kernel.device().name << '\n';
  kernel.prepare();  // compiles, or takes the code from RuntimeOptions::cache
  const auto workspace_bytes = static_cast<std::size_t>(kernel.workspace_bytes());
  const auto workspace = allocate(workspace_bytes / sizeof(float), on_gpu);
  gemm.launch(nullptr, call, {workspace.get()});

  const float expected = gelu(0.125F * static_cast<float>(size) - 1.0F);
  float seen = 0;
  copy(&seen, c.get() + n * n - 1, 1, on_gpu);
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
