// Launches of an application that has made a context of its own with the driver, on its own stream.
#include <cuda.h>
#include <dlfcn.h>

#include <stdexcept>
#include <thread>

#include "tests/gpu/application.hpp"
#include "tuner/cuda/device/check.hpp"

namespace tilewright::test {
namespace {

template <class Function>
Function driver(const char* name) {
  const auto function = cuda::driver_function<Function>(name);
  if (function == nullptr) throw std::runtime_error(std::string("the driver has no ") + name);
  return function;
}

void must_do(CUresult result) {
  ASSERT_EQ(result, CUDA_SUCCESS);
}

CUcontext current_context() {
  CUcontext context = nullptr;
  must_do(driver<decltype(&cuCtxGetCurrent)>("cuCtxGetCurrent")(&context));
  return context;
}

// A context of device 0 that is not its primary one.
class OwnContext {
 public:
  OwnContext() {
    must(cudaFree(nullptr));  // loads the driver
    // By its exact name: what "cuCtxCreate" takes differs from version to version.
    using Create = CUresult (*)(CUcontext*, unsigned int, CUdevice);
    void* const library = dlopen("libcuda.so.1", RTLD_NOW);
    void* const create = library == nullptr ? nullptr : dlsym(library, "cuCtxCreate_v2");
    if (create == nullptr) throw std::runtime_error(dlerror());
    must_do(reinterpret_cast<Create>(create)(&context_, 0, 0));
    pop();
  }
  OwnContext(const OwnContext&) = delete;
  OwnContext& operator=(const OwnContext&) = delete;
  ~OwnContext() { static_cast<void>(driver<decltype(&cuCtxDestroy)>("cuCtxDestroy")(context_)); }

  CUcontext get() const { return context_; }
  void push() const { must_do(driver<decltype(&cuCtxPushCurrent)>("cuCtxPushCurrent")(context_)); }
  static void pop() {
    CUcontext popped = nullptr;
    must_do(driver<decltype(&cuCtxPopCurrent)>("cuCtxPopCurrent")(&popped));
  }

 private:
  CUcontext context_ = nullptr;
};

// While it lives, the context is this thread's current one.
class CurrentContext {
 public:
  explicit CurrentContext(const OwnContext& context) { context.push(); }
  CurrentContext(const CurrentContext&) = delete;
  CurrentContext& operator=(const CurrentContext&) = delete;
  ~CurrentContext() { OwnContext::pop(); }
};

class RuntimeInOwnContext : public RuntimeOnGpu {
 protected:
  // Launches in the context that is current now, with memory and a stream of it.
  static void multiply(const Gemm& gemm, std::size_t size) {
    const CUcontext before = current_context();
    const SquareProduct product(size);
    const GpuStream stream;
    gemm.launch(stream.get(), product.call());
    stream.wait();
    EXPECT_EQ(product.c.values(), product.expected());
    EXPECT_EQ(current_context(), before);
  }
};

TEST_F(RuntimeInOwnContext, PreparesAndLaunchesWhereItIsCurrent) {
  const OwnContext own;
  const CurrentContext current(own);
  const Runtime runtime(options());
  const Gemm gemm(runtime, on_gpu());
  multiply(gemm, 96);
  EXPECT_EQ(current_context(), own.get());
}

TEST_F(RuntimeInOwnContext, LaunchesWhatWasPreparedWhereItWasNotCurrent) {
  const OwnContext own;
  const Runtime runtime(options());
  const Gemm gemm(runtime, on_gpu());
  GemmCall call;
  call.m = call.n = call.k = 96;
  gemm.kernel(call).prepare();  // in the device's primary context
  ASSERT_NE(current_context(), own.get());
  {
    const CurrentContext current(own);
    multiply(gemm, 96);
  }
  multiply(gemm, 96);  // and in the primary one, whose launches go on
}

TEST_F(RuntimeInOwnContext, LaunchesAreCapturedInAGraphOfIt) {
  const OwnContext own;
  const CurrentContext current(own);
  const Runtime runtime(options());
  const Gemm gemm(runtime, on_gpu());
  const SquareProduct product(64);
  gemm.kernel(product.call()).prepare();
  const GpuStream stream;
  const GpuGraph graph(
      stream, [&] { gemm.launch(stream.get(), product.call()); }, cudaStreamCaptureModeThreadLocal);
  graph.run();
  EXPECT_EQ(product.c.values(), product.expected());
}

// A thread that has no current context prepares for the device; the caller's launches follow.
TEST_F(RuntimeInOwnContext, PreparesOnAnotherThread) {
  const OwnContext own;
  const Runtime runtime(options());
  const Gemm gemm(runtime, on_gpu());
  GemmCall call;
  call.m = call.n = call.k = 80;
  const Kernel& kernel = gemm.kernel(call);
  std::jthread([&] { kernel.prepare(); }).join();
  const CurrentContext current(own);
  multiply(gemm, 80);
}

}  // namespace
}  // namespace tilewright::test
