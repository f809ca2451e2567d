// Tuned convolutions, whose filters go by value, and bundles on a GPU.
#include <chrono>
#include <filesystem>
#include <thread>

#include "runtime/bundle_maker.hpp"
#include "tests/gpu/application.hpp"
#include "tests/support/folder_of_files.hpp"
#include "tilewright/bundle.hpp"
#include "tilewright/convolution.hpp"

namespace tilewright::test {
namespace {

ConvolutionOptions convolution_on_gpu() {
  ConvolutionOptions options;
  options.device = DeviceSelector::cuda(0);
  return options;
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

// The best configuration takes the filter by value.
class FilterByValue : public RuntimeOnGpu {
 protected:
  RuntimeOptions by_value() const {
    return with_configuration("conv2d", "halo", {{"FILTER", "value"}});
  }
};

TEST_F(FilterByValue, AKernelOfItsOwnNeedsTheValues) {
  const Runtime runtime(by_value());
  const SmallImage image;
  const Convolution2d convolution(runtime, convolution_on_gpu());
  const Kernel& kernel = convolution.kernel(image.call());
  ASSERT_EQ(kernel.answer().rung, Rung::override_given);
  ASSERT_TRUE(kernel.arguments().at(1).by_value);
  EXPECT_THROW(
      kernel.launch(nullptr, {image.image.data(), image.filter.data(), image.output.data()}),
      InputError);
}

TEST_F(FilterByValue, ServesFromTheHostAndFromTheDevice) {
  const Runtime runtime(by_value());
  const Convolution2d convolution(runtime, convolution_on_gpu());
  const SmallImage image;
  Convolution2dCall call = image.call();
  convolution.launch(nullptr, call);
  EXPECT_EQ(image.output.values(), image.expected());
  call.filter_values = nullptr;
  const Kernel& kernel = convolution.kernel(call);
  EXPECT_FALSE(kernel.arguments().at(1).by_value);
  EXPECT_EQ(kernel.answer().rung, Rung::portable);
  EXPECT_EQ(kernel.answer().configuration.values.at("FILTER"), Value("shared"));
  image.output.poison();
  convolution.launch(nullptr, call);
  EXPECT_EQ(image.output.values(), image.expected());
}

// Each launch and each replay reads the filter that is in device memory then.
TEST_F(FilterByValue, ADeviceFilterIsNeverStale) {
  const Runtime runtime(by_value());
  const Convolution2d convolution(runtime, convolution_on_gpu());
  SmallImage image;
  Convolution2dCall call = image.call();
  call.filter_values = nullptr;
  convolution.kernel(call).prepare();
  const GpuStream stream;
  const GpuGraph graph(stream, [&] { convolution.launch(stream.get(), call); });
  for (int first = 2; first < 5; ++first) {
    image.taps = numbers(image.taps.size(), first);
    must(cudaMemcpy(image.filter.data(), image.taps.data(), image.taps.size() * sizeof(float),
                    cudaMemcpyHostToDevice));
    must(cudaStreamSynchronize(nullptr));  // a small copy may go on
    graph.run();
    EXPECT_EQ(image.output.values(), image.expected()) << "of a replay, filter " << first;
    image.output.poison();
    convolution.launch(stream.get(), call);
    stream.wait();
    EXPECT_EQ(image.output.values(), image.expected()) << "of a launch, filter " << first;
  }
}

TEST_F(FilterByValue, OfASignalToo) {
  const Runtime runtime(with_configuration("conv1d", "register", {{"FILTER", "value"}}));
  ConvolutionOptions options = convolution_on_gpu();
  options.implementation = "register";
  const Convolution1d convolution(runtime, options);
  constexpr int kLength = 1000, kTaps = 9;
  const std::vector<float> signal = numbers(kLength), taps = numbers(kTaps, 2);
  const GpuFloats samples(signal), filter(taps), output(static_cast<std::size_t>(kLength));
  Convolution1dCall call;
  call.length = kLength;
  call.taps = kTaps;
  call.signal = samples.data();
  call.filter = filter.data();
  call.output = output.data();
  EXPECT_FALSE(convolution.kernel(call).arguments().at(1).by_value);
  convolution.launch(nullptr, call);
  const std::vector<float> result = output.values();
  for (int i = 0; i < kLength; ++i) {
    float sum = 0;
    for (int t = 0; t < kTaps; ++t) {
      const int at = i + t - kTaps / 2;
      if (at >= 0 && at < kLength)
        sum += taps[static_cast<std::size_t>(t)] * signal[static_cast<std::size_t>(at)];
    }
    ASSERT_EQ(result[static_cast<std::size_t>(i)], sum) << i;
  }
}

TEST_F(RuntimeOnGpu, EncodesTensorMapsAtEachLaunch) {
  if (device().compute_capability < 90) GTEST_SKIP() << "the device has no tensor maps";
  const Settings bulk = {{"LOADING", "bulk"}, {"VECTOR", 4},    {"BLOCK_X", 16},
                         {"OUTPUTS_X", 4},    {"OUTPUTS_Y", 4}, {"UNROLL", 64}};
  const Runtime runtime(with_configuration("conv2d", "halo", bulk));
  const Convolution2d convolution(runtime, convolution_on_gpu());
  const SmallImage one, other;
  ASSERT_EQ(convolution.kernel(one.call()).answer().rung, Rung::override_given);
  convolution.kernel(one.call()).prepare();
  const GpuStream stream;
  const GpuGraph graph(stream, [&] {
    convolution.launch(stream.get(), one.call());
    convolution.launch(stream.get(), other.call());
  });
  graph.run();
  EXPECT_EQ(one.output.values(), one.expected());
  EXPECT_EQ(other.output.values(), other.expected());
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

TEST_F(RuntimeOnGpu, ABundleServesSizesThatItDoesNotHold) {
  const FolderOfFiles folder;
  BundleMaker maker(options());
  Question question{.operation = "gemm", .problem = {{"M", 50}, {"N", 50}, {"K", 50}}};
  question.device = device();
  maker.add(question);
  const Bundle bundle(folder.write("gemm.bundle", maker.bytes()));
  const SquareProduct product(61);
  const Kernel kernel =
      bundle.kernel({"gemm", {{"M", 61}, {"N", 61}, {"K", 61}}, DeviceSelector::cuda(0)});
  EXPECT_EQ(kernel.answer().rung, Rung::manifest_default);
  kernel.launch(nullptr, {product.a.data(), product.b.data(), product.c.data(), 1.0F, 0.0F});
  EXPECT_EQ(product.c.values(), product.expected());
}

TEST_F(RuntimeOnGpu, CodeFromTheBackgroundIsNotLoadedDuringACapture) {
  const FolderOfFiles folder;
  BundleMaker maker(options());
  Question question{.operation = "gemm", .problem = {{"M", 133}, {"N", 133}, {"K", 133}}};
  question.device = device();
  maker.add(question);
  RuntimeOptions given = with_configuration("gemm", "blocked", {{"SPLIT_K", 4}});
  given.bundles = {folder.write("gemm.bundle", maker.bytes())};
  given.cache = folder.path() / "code";
  given.compiling = Compiling::in_background;
  const Runtime runtime(given);
  const Gemm gemm(runtime, on_gpu());
  const SquareProduct product(133);
  const Kernel& kernel = gemm.kernel(product.call());
  const GpuFloats workspace(static_cast<std::size_t>(kernel.workspace_bytes()) / 4 + 1);
  const Scratch ready{workspace.data(), Scratch::State::ready};
  gemm.launch(nullptr, product.call(), {workspace.data()});
  EXPECT_EQ(product.c.values(), product.expected());
  EXPECT_EQ(kernel.answer().rung, Rung::manifest_default);

  const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  while (!std::filesystem::exists(given.cache) || std::filesystem::is_empty(given.cache)) {
    ASSERT_LT(std::chrono::steady_clock::now(), limit) << "it was not compiled";
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(500));  // likely to be compiled by now
  const GpuStream stream;
  const GpuGraph graph(stream, [&] { gemm.launch(stream.get(), product.call(), ready); });
  EXPECT_EQ(kernel.answer().rung, Rung::manifest_default);
  while (kernel.answer().rung != Rung::override_given) {
    ASSERT_LT(std::chrono::steady_clock::now(), limit) << "it was not loaded";
    product.c.poison();
    must(cudaDeviceSynchronize());
    gemm.launch(stream.get(), product.call(), ready);
    stream.wait();
    ASSERT_EQ(product.c.values(), product.expected());
  }
  // What was captured goes on beside the better kernel, in the same workspace.
  for (int i = 0; i < 2; ++i) {
    product.c.poison();
    must(cudaDeviceSynchronize());
    graph.run();
    EXPECT_EQ(product.c.values(), product.expected());
    gemm.launch(stream.get(), product.call(), ready);
    stream.wait();
    EXPECT_EQ(product.c.values(), product.expected());
  }
}

TEST_F(RuntimeOnGpu, CodeThatIsNoCubinDoesNotLoad) {
  BundleMaker maker(options());
  Question question{.operation = "gemm", .problem = {{"M", 50}, {"N", 50}, {"K", 50}}};
  question.device = device();
  maker.add(question);
  BundleContents contents = decode_bundle(maker.bytes(), "bundle");
  const std::vector<std::uint8_t> no_cubin(100, std::uint8_t{7});
  const std::string hash = code_checksum(no_cubin);
  contents.codes = {{hash, std::make_shared<const std::vector<std::uint8_t>>(no_cubin)}};
  for (auto& [key, build] : contents.builds) build.code_hash = hash;
  const FolderOfFiles folder;
  const Bundle bundle(folder.write("gemm.bundle", encode_bundle(contents)));
  const Kernel kernel = bundle.kernel({"gemm", question.problem, DeviceSelector::cuda(0)});
  EXPECT_THROW(kernel.prepare(), MachineError);
}

}  // namespace
}  // namespace tilewright::test
