// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
// Tuned kernels launched by an application on a GPU: results, streams, threads, graphs, bundles.
#include <cuda_runtime_api.h>

#include <cmath>
#include <thread>

#include "tests/gpu/gpu_support.hpp"
#include "tests/support/folder_of_files.hpp"
#include "tilewright/bundle.hpp"
#include "tilewright/convolution.hpp"
#include "tilewright/gemm.hpp"
#include "tuner/definition/library.hpp"
#include "tuner/runtime/bundle_maker.hpp"

namespace tilewright::test {
namespace {

void must(cudaError_t error) {
  ASSERT_EQ(error, cudaSuccess) << cudaGetErrorName(error) << ": " << cudaGetErrorString(error);
}

// Numbers on the GPU.
class GpuFloats {
 public:
  explicit GpuFloats(const std::vector<float>& values) : count_(values.size()) {
    must(cudaMalloc(&memory_, bytes()));
    must(cudaMemcpy(memory_, values.data(), bytes(), cudaMemcpyHostToDevice));
  }
  explicit GpuFloats(std::size_t count) : GpuFloats(std::vector<float>(count, NAN)) {}
  GpuFloats(const GpuFloats&) = delete;
  GpuFloats& operator=(const GpuFloats&) = delete;
  ~GpuFloats() { static_cast<void>(cudaFree(memory_)); }

  float* data() const { return static_cast<float*>(memory_); }
  std::vector<float> values() const {
    std::vector<float> values(count_);
    must(cudaMemcpy(values.data(), memory_, bytes(), cudaMemcpyDeviceToHost));
    return values;
  }
  void poison() const { must(cudaMemset(memory_, 0xFF, bytes())); }

 private:
  std::size_t bytes() const { return count_ * sizeof(float); }
  std::size_t count_;
  void* memory_ = nullptr;
};

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

// Small whole numbers, so that sums are exact in whatever order.
std::vector<float> numbers(std::size_t count, int first = 1) {
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
  static ConvolutionOptions convolution_on_gpu() {
    ConvolutionOptions options;
    options.device = DeviceSelector::cuda(0);
    return options;
  }
};

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

TEST_F(RuntimeOnGpu, LaunchesAreCapturedInAGraph) {
  const RuntimeOptions split = with_configuration("gemm", "blocked", {{"SPLIT_K", 4}});
  const Runtime runtime(split);
  const Gemm gemm(runtime, on_gpu());
  const SquareProduct product(133);
  const Kernel& kernel = gemm.kernel(product.call());
  kernel.prepare();
  const GpuFloats workspace(static_cast<std::size_t>(kernel.workspace_bytes()) / 4 + 1);
  const GpuStream stream;
  must(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeGlobal));
  gemm.launch(stream.get(), product.call(), {workspace.data()});
  gemm.launch(stream.get(), product.call(), {workspace.data(), Scratch::State::ready});
  cudaGraph_t graph = nullptr;
  must(cudaStreamEndCapture(stream.get(), &graph));
  cudaGraphExec_t executable = nullptr;
  must(cudaGraphInstantiate(&executable, graph, 0));
  for (int i = 0; i < 2; ++i) {
    product.c.poison();
    must(cudaDeviceSynchronize());
    must(cudaGraphLaunch(executable, stream.get()));
    stream.wait();
    EXPECT_EQ(product.c.values(), product.expected());
  }
  must(cudaGraphExecDestroy(executable));
  must(cudaGraphDestroy(graph));
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

// The right answer of a correlation with zeros beyond the edges.
std::vector<float> filtered(const std::vector<float>& image, const std::vector<float>& filter,
                            int width, int height, int taps) {
  std::vector<float> output;
  const int anchor = taps / 2;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      float sum = 0;
      for (int j = 0; j < taps; ++j)
        for (int i = 0; i < taps; ++i) {
          const int row = y + j - anchor, column = x + i - anchor;
          if (row < 0 || row >= height || column < 0 || column >= width) continue;
          sum += filter[static_cast<std::size_t>(j * taps + i)] *
                 image[static_cast<std::size_t>(row * width + column)];
        }
      output.push_back(sum);
    }
  return output;
}

struct SmallImage {
  static constexpr int kWidth = 100, kHeight = 37, kTaps = 5;
  std::vector<float> taps = numbers(kTaps * kTaps, 2);
  GpuFloats image{numbers(kWidth * kHeight)};
  GpuFloats filter{taps};
  GpuFloats output{static_cast<std::size_t>(kWidth * kHeight)};

  Convolution2dCall call() const {
    Convolution2dCall call;
    call.width = kWidth;
    call.height = kHeight;
    call.filter_width = call.filter_height = kTaps;
    call.image = image.data();
    call.filter = filter.data();
    call.filter_values = taps.data();
    call.output = output.data();
    return call;
  }
  std::vector<float> expected() const {
    return filtered(image.values(), taps, kWidth, kHeight, kTaps);
  }
};

TEST_F(RuntimeOnGpu, FiltersAnImage) {
  const Runtime runtime(options());
  const Convolution2d convolution(runtime, convolution_on_gpu());
  const SmallImage image;
  convolution.launch(nullptr, image.call());
  EXPECT_EQ(image.output.values(), image.expected());
}

TEST_F(RuntimeOnGpu, AFilterThatGoesByValueNeedsItsValues) {
  const Runtime runtime(options());
  const Convolution2d convolution(runtime, convolution_on_gpu());
  const SmallImage image;
  Convolution2dCall call = image.call();
  call.filter_values = nullptr;
  const std::vector<KernelArgument>& arguments = convolution.kernel(call).arguments();
  if (!arguments.at(1).by_value) GTEST_SKIP() << "the default passes a pointer";
  EXPECT_THROW(convolution.launch(nullptr, call), InputError);
}

TEST_F(RuntimeOnGpu, EncodesTensorMapsAtEachLaunch) {
  if (device().compute_capability < 90) GTEST_SKIP() << "the device has no tensor maps";
  const RuntimeOptions bulk = with_configuration("conv2d", "halo", {{"LOADING", "bulk"}});
  const Runtime runtime(bulk);
  const Convolution2d convolution(runtime, convolution_on_gpu());
  const SmallImage one, other;
  if (convolution.kernel(one.call()).answer().rung != Rung::override_given)
    GTEST_SKIP() << "the default with LOADING = bulk is no configuration of this problem";
  convolution.kernel(one.call()).prepare();
  const GpuStream stream;
  must(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeGlobal));
  convolution.launch(stream.get(), one.call());
  convolution.launch(stream.get(), other.call());
  cudaGraph_t graph = nullptr;
  must(cudaStreamEndCapture(stream.get(), &graph));
  cudaGraphExec_t executable = nullptr;
  must(cudaGraphInstantiate(&executable, graph, 0));
  must(cudaGraphLaunch(executable, stream.get()));
  stream.wait();
  EXPECT_EQ(one.output.values(), one.expected());
  EXPECT_EQ(other.output.values(), other.expected());
  must(cudaGraphExecDestroy(executable));
  must(cudaGraphDestroy(graph));
}

TEST_F(RuntimeOnGpu, ABundleLaunchesWithoutACompiler) {
  const FolderOfFiles folder;
  BundleMaker maker(options());
  Question question{.operation = "gemm", .problem = {{"M", 50}, {"N", 50}, {"K", 50}}};
  question.device = device();
  maker.add(question);
  const Bundle bundle(folder.write("gemm.bundle", maker.bytes()));
  const SquareProduct product(50);
  bundle.kernel({"gemm", question.problem, DeviceSelector::cuda(0)})
      .launch(nullptr, {product.a.data(), product.b.data(), product.c.data(), 1.0F, 0.0F});
  EXPECT_EQ(product.c.values(), product.expected());
}

TEST_F(RuntimeOnGpu, CodeThatIsNoCubinDoesNotLoad) {
  BundleMaker maker(options());
  Question question{.operation = "gemm", .problem = {{"M", 50}, {"N", 50}, {"K", 50}}};
  question.device = device();
  maker.add(question);
  BundleContents contents = decode_bundle(maker.bytes(), "bundle");
  for (auto& [hash, code] : contents.codes)
    code = std::make_shared<const std::vector<std::uint8_t>>(100, std::uint8_t{7});
  const FolderOfFiles folder;
  const Bundle bundle(folder.write("gemm.bundle", encode_bundle(contents)));
  const Kernel kernel = bundle.kernel({"gemm", question.problem, DeviceSelector::cuda(0)});
  EXPECT_THROW(kernel.prepare(), MachineError);
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
