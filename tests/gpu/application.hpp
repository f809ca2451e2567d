#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "definition/library/library.hpp"
#include "tests/gpu/gpu_support.hpp"
#include "tilewright/gemm.hpp"

// What an application has on a GPU, and what it asks the runtime for.
namespace tilewright::test {

inline void must(cudaError_t error) {
  ASSERT_EQ(error, cudaSuccess) << cudaGetErrorName(error) << ": " << cudaGetErrorString(error);
}

// Numbers on the GPU.
template <class T>
class GpuNumbers {
 public:
  explicit GpuNumbers(const std::vector<T>& values) : count_(values.size()) {
    must(cudaMalloc(&memory_, bytes()));
    must(cudaMemcpy(memory_, values.data(), bytes(), cudaMemcpyHostToDevice));
    settle();
  }
  explicit GpuNumbers(std::size_t count) : GpuNumbers(std::vector<T>(count, static_cast<T>(NAN))) {}
  GpuNumbers(const GpuNumbers&) = delete;
  GpuNumbers& operator=(const GpuNumbers&) = delete;
  ~GpuNumbers() { static_cast<void>(cudaFree(memory_)); }

  T* data() const { return static_cast<T*>(memory_); }
  std::vector<T> values() const {
    std::vector<T> values(count_);
    must(cudaMemcpy(values.data(), memory_, bytes(), cudaMemcpyDeviceToHost));
    return values;
  }
  void poison() const {
    must(cudaMemset(memory_, 0xFF, bytes()));
    settle();
  }

 private:
  // Small copies from pageable memory, and memsets, may go on after the call returns, and streams
  // that do not block do not wait for them.
  static void settle() { must(cudaStreamSynchronize(nullptr)); }
  std::size_t bytes() const { return count_ * sizeof(T); }
  std::size_t count_;
  void* memory_ = nullptr;
};
using GpuFloats = GpuNumbers<float>;

class GpuStream {
 public:
  GpuStream() { must(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  GpuStream(const GpuStream&) = delete;
  GpuStream& operator=(const GpuStream&) = delete;
  ~GpuStream() { static_cast<void>(cudaStreamDestroy(stream_)); }
  cudaStream_t get() const { return stream_; }
  void wait() const { must(cudaStreamSynchronize(stream_)); }

 private:
  cudaStream_t stream_ = nullptr;
};

// What `work` enqueues on a stream, captured to be launched any number of times.
class GpuGraph {
 public:
  template <class Work>
  GpuGraph(const GpuStream& stream, const Work& work,
           cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal)
      : stream_(stream) {
    must(cudaStreamBeginCapture(stream_.get(), mode));
    work();
    cudaGraph_t graph = nullptr;
    must(cudaStreamEndCapture(stream_.get(), &graph));
    must(cudaGraphInstantiate(&executable_, graph, 0));
    must(cudaGraphDestroy(graph));
  }
  GpuGraph(const GpuGraph&) = delete;
  GpuGraph& operator=(const GpuGraph&) = delete;
  ~GpuGraph() { static_cast<void>(cudaGraphExecDestroy(executable_)); }
  // Launches it and waits for it.
  void run() const {
    must(cudaGraphLaunch(executable_, stream_.get()));
    stream_.wait();
  }

 private:
  const GpuStream& stream_;
  cudaGraphExec_t executable_ = nullptr;
};

// Small whole numbers, so that sums are exact in whatever order.
inline std::vector<float> numbers(std::size_t count, int first = 1) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = static_cast<float>((static_cast<int>(i % 1000) * 7 + first) % 5 - 2);
  return values;
}

// A square product with its right answer.
struct SquareProduct {
  explicit SquareProduct(std::size_t size, int first = 1)
      : n(size), a(numbers(n * n, first)), b(numbers(n * n, first + 1)), c(n * n) {}

  GemmCall call() const {
    GemmCall call;
    call.m = call.n = call.k = static_cast<std::int64_t>(n);
    call.a = a.data();
    call.b = b.data();
    call.c = c.data();
    return call;
  }

  std::vector<float> expected() const {
    const std::vector<float> left = a.values(), right = b.values();
    std::vector<float> product(n * n, 0.0F);
    for (std::size_t row = 0; row < n; ++row)
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t column = 0; column < n; ++column)
          product[row * n + column] += left[row * n + i] * right[i * n + column];
    return product;
  }

  std::size_t n;
  GpuFloats a, b, c;
};

class RuntimeOnGpu : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (!IsSkipped()) must(cudaSetDevice(0));
  }

  RuntimeOptions options() const {
    RuntimeOptions options;
    options.catalog.kernels = {source_folder() / "kernel_templates"};
    options.toolkits = {program_folder()};
    return options;
  }

  // The implementation's default with other values, for every problem.
  RuntimeOptions with_configuration(const std::string& operation, const std::string& implementation,
                                    const Settings& values) const {
    const Library library = Library::load({source_folder() / "kernel_templates"});
    Override given;
    given.implementation = operation + '/' + implementation;
    given.configuration =
        default_configuration(library.family(operation).implementation(implementation));
    for (const auto& [name, value] : values) given.configuration.values[name] = value;
    RuntimeOptions changed = options();
    changed.catalog.overrides = {given};
    return changed;
  }

  static GemmOptions on_gpu() {
    GemmOptions options;
    options.device = DeviceSelector::cuda(0);
    return options;
  }
};

}  // namespace tilewright::test
