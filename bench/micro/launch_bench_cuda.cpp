// What a launch of the same kernel costs the host: by cudaLaunchKernelExC with ready parameters, by
// Kernel::launch, and by Gemm::launch, which first finds the kernel by its sizes. The same of a
// product that cuBLAS answers: by cublasGemmEx, and by both.
//   tilewright-launch-bench --benchmark_repetitions=10
#include <benchmark/benchmark.h>
#include <cuda_runtime_api.h>

#include <chrono>
#include <exception>

#include "runtime/bundle_maker.hpp"
#include "tilewright/gemm.hpp"
#include "tuner/cuda/device/memory.hpp"
#include "tuner/cuda/libraries/cublas.hpp"

namespace tilewright::bench {
namespace {

constexpr int kLaunches = 200;  // fewer than the stream's queue holds
constexpr int kSamples = 500;   // of kLaunches each; the time of one launch is reported
constexpr std::int64_t kSize = 8;

RuntimeOptions options() {
  RuntimeOptions options;
  options.catalog.kernels = {TILEWRIGHT_KERNEL_TEMPLATES};
  return options;
}

bool has_gpu(benchmark::State& state) {
  int count = 0;
  if (cudaGetDeviceCount(&count) == cudaSuccess && count > 0) return true;
  static_cast<void>(cudaGetLastError());
  state.SkipWithError("there is no GPU");
  return false;
}

// Memory for one matrix.
float* matrix() {
  void* memory = nullptr;
  if (cudaMalloc(&memory, kSize * kSize * sizeof(float)) != cudaSuccess) std::abort();
  return static_cast<float*>(memory);
}

// The host's seconds for one of several launches. Waiting for the kernels is not included.
template <class Launch>
void measure(benchmark::State& state, const Launch& launch) {
  launch();
  cudaDeviceSynchronize();
  for (auto _ : state) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < kLaunches; ++i) launch();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    state.SetIterationTime(took.count() / kLaunches);
    cudaDeviceSynchronize();
  }
}

GemmCall square() {
  static float* const a = matrix();
  static float* const b = matrix();
  static float* const c = matrix();
  GemmCall call;
  call.m = call.n = call.k = kSize;
  call.a = a;
  call.b = b;
  call.c = c;
  return call;
}

GemmOptions only(const char* implementation) {
  GemmOptions options;
  options.device = DeviceSelector::cuda(0);
  options.implementation = implementation;
  return options;
}

// Launches the same kernel without tilewright.
void bare(benchmark::State& state) {
  if (!has_gpu(state)) return;
  const Runtime runtime(options());
  Question question;
  question.operation = "gemm/naive";
  question.problem = {{"M", kSize}, {"N", kSize}, {"K", kSize}};
  question.device = runtime.device(DeviceSelector::cuda(0));
  BundleMaker maker(options());
  maker.add(question);
  const BundleContents contents = decode_bundle(maker.bytes(), "bundle");
  const BundledRecipe& bundled = contents.recipes.front();
  const PlannedLaunch& plan = bundled.recipe.launches.launches.front();
  const RecipeCode code = contents.code_of(bundled.build);

  cudaLibrary_t library = nullptr;
  cudaKernel_t kernel = nullptr;
  cudaLibraryLoadData(&library, code.bytes->data(), nullptr, nullptr, 0, nullptr, nullptr, 0);
  cudaLibraryGetKernel(&kernel, library, code.symbols.at(plan.entry).c_str());
  const GemmCall call = square();
  const void* pointers[] = {call.a.memory(), call.b.memory(), call.c.memory()};
  const float scalars[] = {1, 0};
  std::vector<void*> parameters;
  for (const PlannedArgument& argument : plan.arguments) {
    const void* bytes = argument.bytes.data();
    if (argument.kind == PlannedArgument::Kind::argument)
      bytes = argument.index < 3 ? static_cast<const void*>(&pointers[argument.index])
                                 : &scalars[argument.index - 3];
    parameters.push_back(const_cast<void*>(bytes));
  }
  cudaLaunchConfig_t config = {};
  config.gridDim = {static_cast<unsigned>(plan.grid[0]), static_cast<unsigned>(plan.grid[1]),
                    static_cast<unsigned>(plan.grid[2])};
  config.blockDim = {static_cast<unsigned>(plan.block[0]), static_cast<unsigned>(plan.block[1]),
                     static_cast<unsigned>(plan.block[2])};
  measure(state, [&] {
    cudaLaunchKernelExC(&config, static_cast<const void*>(kernel), parameters.data());
  });
  cudaLibraryUnload(library);
}
BENCHMARK(bare)->Name("launch/bare")->UseManualTime()->Iterations(kSamples);

// cublasGemmEx alone, with the stream and workspace that it keeps.
void bare_library(benchmark::State& state) try {
  if (!has_gpu(state)) return;
  const cuda::Cublas& library = cuda::loaded<cuda::Cublas>({});
  const cuda::DeviceMemory workspace = cuda::allocate(std::int64_t{32} << 20);
  const cuda::CublasTypes types;
  void* handle = nullptr;
  library.check(library.create(&handle), "cublasCreate");
  library.check(library.set_workspace(handle, workspace.get(), std::size_t{32} << 20),
                "cublasSetWorkspace");
  const GemmCall call = square();
  const int size = static_cast<int>(kSize);
  constexpr float kOne = 1, kZero = 0;
  measure(state, [&] {
    library.gemm(handle, cuda::kAsStored, cuda::kAsStored, size, size, size, &kOne, call.b.memory(),
                 types.b, size, call.a.memory(), types.a, size, &kZero, call.c.memory(), types.c,
                 size, types.compute, -1);
  });
} catch (const std::exception& error) {
  state.SkipWithError(error.what());
}
BENCHMARK(bare_library)->Name("library/bare")->UseManualTime()->Iterations(kSamples);

void by_kernel(benchmark::State& state, const char* implementation) try {
  if (!has_gpu(state)) return;
  const Runtime runtime(options());
  const Gemm gemm(runtime, only(implementation));
  const GemmCall call = square();
  const Kernel kernel = gemm.kernel(call);
  kernel.prepare();
  measure(state, [&] { kernel.launch(nullptr, {call.a, call.b, call.c, 1.0F, 0.0F}); });
} catch (const std::exception& error) {  // there is no library
  state.SkipWithError(error.what());
}
BENCHMARK_CAPTURE(by_kernel, naive, "naive")
    ->Name("launch/kernel")
    ->UseManualTime()
    ->Iterations(kSamples);
BENCHMARK_CAPTURE(by_kernel, cublas, "cublas")
    ->Name("library/kernel")
    ->UseManualTime()
    ->Iterations(kSamples);

void by_gemm(benchmark::State& state, const char* implementation) try {
  if (!has_gpu(state)) return;
  const Runtime runtime(options());
  const Gemm gemm(runtime, only(implementation));
  const GemmCall call = square();
  measure(state, [&] { gemm.launch(nullptr, call); });
} catch (const std::exception& error) {  // there is no library
  state.SkipWithError(error.what());
}
BENCHMARK_CAPTURE(by_gemm, naive, "naive")
    ->Name("launch/gemm")
    ->UseManualTime()
    ->Iterations(kSamples);
BENCHMARK_CAPTURE(by_gemm, cublas, "cublas")
    ->Name("library/gemm")
    ->UseManualTime()
    ->Iterations(kSamples);

}  // namespace
}  // namespace tilewright::bench
