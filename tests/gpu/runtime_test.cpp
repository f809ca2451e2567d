// Tuned products launched by an application on a GPU: results, workspaces, streams, threads,
// graphs, devices and faults.
#include <thread>

#include "tests/gpu/application.hpp"

namespace tilewright::test {
namespace {

TEST_F(RuntimeOnGpu, MultipliesOnTheDefaultStreamAndAnother) {
  const Runtime runtime(options());
  const Gemm gemm(runtime, on_gpu());
  const SquareProduct product(97);
  ASSERT_EQ(gemm.kernel(product.call()).workspace_bytes(), 0);
  gemm.launch(nullptr, product.call());
  EXPECT_EQ(product.c.values(), product.expected());
  const GpuStream stream;
  product.c.poison();
  must(cudaDeviceSynchronize());
  gemm.launch(stream.get(), product.call());
  stream.wait();
  EXPECT_EQ(product.c.values(), product.expected());
}

// The product of SquareProduct, whose sums are exact in each type.
template <class A, class C>
void multiply_as(const Gemm& gemm) {
  const SquareProduct product(64);
  const auto typed = [](const std::vector<float>& values) {
    std::vector<A> result;
    for (const float value : values) result.push_back(static_cast<A>(value));
    return result;
  };
  const GpuNumbers<A> a(typed(product.a.values())), b(typed(product.b.values()));
  const GpuNumbers<C> c(64 * 64);
  GemmCall call = product.call();
  call.a = a.data();
  call.b = b.data();
  call.c = c.data();
  const GpuFloats workspace(static_cast<std::size_t>(gemm.kernel(call).workspace_bytes()) / 4 + 1);
  gemm.launch(nullptr, call, {workspace.data()});
  const std::vector<C> result = c.values();
  const std::vector<float> expected = product.expected();
  for (std::size_t i = 0; i < result.size(); ++i)
    ASSERT_EQ(static_cast<float>(static_cast<double>(result[i])), expected[i]) << i;
}

TEST_F(RuntimeOnGpu, MultipliesEachType) {
  const Runtime runtime(options());
  const Gemm gemm(runtime, on_gpu());
  multiply_as<double, double>(gemm);
  multiply_as<Float16, Float16>(gemm);
  multiply_as<BFloat16, BFloat16>(gemm);
  multiply_as<BFloat16, float>(gemm);
}

TEST_F(RuntimeOnGpu, AppliesAnEpilogue) {
  const Runtime runtime(options());
  GemmOptions with_bias = on_gpu();
  with_bias.epilogue = "bias_relu";
  const Gemm gemm(runtime, with_bias);
  const SquareProduct product(64);
  const GpuFloats bias(numbers(64, 4));
  const std::vector<Operand> epilogue = {Operand(bias.data())};
  GemmCall call = product.call();
  call.epilogue = epilogue;
  gemm.launch(nullptr, call);
  std::vector<float> expected = product.expected();
  const std::vector<float> added = bias.values();
  for (std::size_t i = 0; i < expected.size(); ++i)
    expected[i] = std::fmax(expected[i] + added[i % 64], 0.0F);
  EXPECT_EQ(product.c.values(), expected);
}

TEST_F(RuntimeOnGpu, SharesKThroughAWorkspace) {
  const RuntimeOptions split = with_configuration("gemm", "blocked", {{"SPLIT_K", 4}});
  const Runtime runtime(split);
  const Gemm gemm(runtime, on_gpu());
  const SquareProduct product(133);
  const Kernel& kernel = gemm.kernel(product.call());
  ASSERT_EQ(kernel.answer().rung, Rung::override_given);
  ASSERT_GT(kernel.workspace_bytes(), 0);
  EXPECT_THROW(gemm.launch(nullptr, product.call()), InputError);
  // Garbage at first, then as the launch before has left it.
  const GpuFloats workspace(static_cast<std::size_t>(kernel.workspace_bytes()) / 4 + 1);
  for (const Scratch::State state :
       {Scratch::State::unknown, Scratch::State::ready, Scratch::State::ready}) {
    product.c.poison();
    gemm.launch(nullptr, product.call(), {workspace.data(), state});
    EXPECT_EQ(product.c.values(), product.expected());
  }
}

// The workspace is the kernel's own, and the handle is made by prepare().
TEST_F(RuntimeOnGpu, ALibraryMultipliesAlsoInAGraph) {
  const Runtime runtime(with_configuration("gemm", "cublas", {}));
  const Gemm gemm(runtime, on_gpu());
  const SquareProduct product(133);
  const Kernel& kernel = gemm.kernel(product.call());
  if (kernel.answer().implementation != "gemm/cublas") GTEST_SKIP() << "cuBLAS is not here";
  kernel.prepare();
  const GpuFloats workspace(static_cast<std::size_t>(kernel.workspace_bytes()) / 4);
  const GpuStream stream;
  const GpuGraph graph(stream,
                       [&] { gemm.launch(stream.get(), product.call(), {workspace.data()}); });
  for (int replay = 0; replay < 2; ++replay) {
    product.c.poison();
    graph.run();
    EXPECT_EQ(product.c.values(), product.expected());
  }
}

TEST_F(RuntimeOnGpu, SharesKWithinACluster) {
  if (device().compute_capability < 90) GTEST_SKIP() << "this device has no clusters";
  const Runtime runtime(
      with_configuration("gemm", "blocked", {{"SPLIT_K", 4}, {"REDUCTION", "cluster"}}));
  const Gemm gemm(runtime, on_gpu());
  const SquareProduct product(133);
  ASSERT_EQ(gemm.kernel(product.call()).answer().rung, Rung::override_given);
  ASSERT_EQ(gemm.kernel(product.call()).workspace_bytes(), 0);
  gemm.launch(nullptr, product.call());
  EXPECT_EQ(product.c.values(), product.expected());
}

TEST_F(RuntimeOnGpu, PacksOperandsInAWorkspace) {
  const Runtime runtime(with_configuration("gemm", "blocked",
                                           {{"PACKED", "both"}, {"VECTOR_A", 4}, {"VECTOR_B", 4}}));
  const Gemm gemm(runtime, on_gpu());
  const SquareProduct product(61);
  const Kernel& kernel = gemm.kernel(product.call());
  ASSERT_EQ(kernel.answer().rung, Rung::override_given);
  ASSERT_EQ(kernel.workspace_bytes(), 2 * 61 * 64 * 4);
  const GpuFloats workspace(static_cast<std::size_t>(kernel.workspace_bytes()) / 4);
  gemm.launch(nullptr, product.call(), {workspace.data()});
  EXPECT_EQ(product.c.values(), product.expected());
}

TEST_F(RuntimeOnGpu, LetsGoOfKernelsThatNobodyHolds) {
  const Runtime runtime(options());
  const SquareProduct product(97);
  for (int i = 0; i < 2; ++i) {
    const Gemm gemm(runtime, on_gpu());
    product.c.poison();
    gemm.launch(nullptr, product.call());
    EXPECT_EQ(product.c.values(), product.expected());
    EXPECT_EQ(runtime.trim(), 0U) << "held by gemm";
  }
  EXPECT_EQ(runtime.trim(), 1U);
  const Gemm gemm(runtime, on_gpu());
  product.c.poison();
  gemm.launch(nullptr, product.call());
  EXPECT_EQ(product.c.values(), product.expected());
}

TEST_F(RuntimeOnGpu, LaunchesAreCapturedInAGraph) {
  const RuntimeOptions split = with_configuration("gemm", "blocked", {{"SPLIT_K", 4}});
  const Runtime runtime(split);
  const Gemm gemm(runtime, on_gpu());
  const SquareProduct product(133);
  const Kernel& kernel = gemm.kernel(product.call());
  kernel.prepare();
  const GpuFloats workspace(static_cast<std::size_t>(kernel.workspace_bytes()) / 4 + 1);
  const GpuStream stream;
  const GpuGraph graph(stream, [&] {
    gemm.launch(stream.get(), product.call(), {workspace.data()});
    gemm.launch(stream.get(), product.call(), {workspace.data(), Scratch::State::ready});
  });
  for (int i = 0; i < 2; ++i) {
    product.c.poison();
    must(cudaDeviceSynchronize());
    graph.run();
    EXPECT_EQ(product.c.values(), product.expected());
  }
}

TEST_F(RuntimeOnGpu, TwoThreadsOnTheirStreamsShareAKernel) {
  const Runtime runtime(options());
  const Gemm gemm(runtime, on_gpu());
  const SquareProduct one(120, 1), other(120, 3);
  const auto work = [&](const SquareProduct& product) {
    must(cudaSetDevice(0));
    const GpuStream stream;
    for (int i = 0; i < 50; ++i) gemm.launch(stream.get(), product.call());
    stream.wait();
  };
  {
    const std::jthread first(work, std::cref(one));
    const std::jthread second(work, std::cref(other));
  }
  EXPECT_EQ(one.c.values(), one.expected());
  EXPECT_EQ(other.c.values(), other.expected());
}

// A thread that has never called CUDA has no current context.
TEST_F(RuntimeOnGpu, PreparesOnAThreadWithoutAContext) {
  const Runtime runtime(options());
  const Gemm gemm(runtime, on_gpu());
  const SquareProduct product(32);
  const Kernel& kernel = gemm.kernel(product.call());
  std::jthread([&] { kernel.prepare(); }).join();
  gemm.launch(nullptr, product.call());
  EXPECT_EQ(product.c.values(), product.expected());
}

TEST_F(RuntimeOnGpu, RefusesAnotherCurrentDevice) {
  int count = 0;
  must(cudaGetDeviceCount(&count));
  if (count < 2) GTEST_SKIP() << "there is one GPU";
  const Runtime runtime(options());
  const Gemm gemm(runtime, on_gpu());
  const SquareProduct product(16);
  gemm.kernel(product.call()).prepare();
  must(cudaSetDevice(1));
  EXPECT_THROW(gemm.launch(nullptr, product.call()), InputError);
  must(cudaSetDevice(0));
  gemm.launch(nullptr, product.call());
  EXPECT_EQ(product.c.values(), product.expected());
}

// A fault shows at a later call, and stays. In a process of its own, whose context it costs.
TEST_F(RuntimeOnGpu, SaysThatAnEarlierLaunchFaulted) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto fault = [&] {
    const Runtime runtime(options());
    const Gemm gemm(runtime, on_gpu());
    const SquareProduct product(32);
    GemmCall call = product.call();
    gemm.kernel(call).prepare();
    call.c = reinterpret_cast<float*>(std::uintptr_t{4096});  // nobody's
    gemm.launch(nullptr, call);
    static_cast<void>(cudaDeviceSynchronize());
    try {
      gemm.launch(nullptr, product.call());
    } catch (const LaunchError& error) {
      std::_Exit(std::string(error.what()).starts_with("gemm/") ? 17 : 1);
    }
    std::_Exit(0);
  };
  EXPECT_EXIT(fault(), testing::ExitedWithCode(17), "");
}

}  // namespace
}  // namespace tilewright::test
