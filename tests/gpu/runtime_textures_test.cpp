// Textures on a GPU, over an application's buffers.
#include <array>
#include <memory>

#include "tests/gpu/application.hpp"
#include "tests/support/texture_library.hpp"
#include "tilewright/error.hpp"

namespace tilewright::test {
namespace {

constexpr std::size_t kPlaces = 1 << 16;

// What one stream works on.
struct Means {
  explicit Means(float value) : x_value(value), x(std::vector<float>(kPlaces, value)) {}

  std::vector<Operand> list() const { return {x.data(), shift.data(), y.data()}; }
  void expect_right() const {
    for (const float value : y.values()) ASSERT_EQ(value, x_value + 2);
  }

  float x_value;
  GpuFloats x;
  GpuFloats shift{std::vector<float>(kPlaces, 2)};
  GpuFloats y{kPlaces};
  GpuStream stream;
};

class TexturesOnGpu : public RuntimeOnGpu {
 protected:
  Kernel kernel(const Runtime& runtime, const std::string& memory) const {
    return runtime.kernel(
        {"means", {{"count", std::int64_t{kPlaces}}, {"memory", memory}}, DeviceSelector::cuda(0)});
  }
  RuntimeOptions textures() const {
    RuntimeOptions changed = options();
    changed.catalog.kernels = {write_texture_library(folder_)};
    return changed;
  }

  FolderOfFiles folder_;
};

// Launches of two streams, in flight together, read their own buffers.
TEST_F(TexturesOnGpu, StreamsReadBuffersOfTheirOwn) {
  const Runtime runtime(textures());
  for (const std::string memory : {"array", "linear"}) {
    const Kernel shared = kernel(runtime, memory);
    const std::array<Means, 2> works = {Means(3), Means(-5)};
    for (int round = 0; round < 20; ++round)
      for (const Means& work : works) shared.launch(work.stream.get(), work.list());
    for (const Means& work : works) {
      work.stream.wait();
      work.expect_right();
    }
  }
}

TEST_F(TexturesOnGpu, LaunchesReadWhatBuffersHoldThen) {
  const Runtime runtime(textures());
  for (const std::string memory : {"array", "linear"}) {
    const Kernel one = kernel(runtime, memory);
    Means work(3);
    one.launch(work.stream.get(), work.list());
    const std::vector<float> next(kPlaces, 7);
    must(cudaMemcpyAsync(work.x.data(), next.data(), kPlaces * sizeof(float),
                         cudaMemcpyHostToDevice, work.stream.get()));
    one.launch(work.stream.get(), work.list());
    work.stream.wait();
    work.x_value = 7;
    work.expect_right();
  }
}

// More addresses than anything keeps apart by chance.
TEST_F(TexturesOnGpu, BuffersMayBeAnywhere) {
  const Runtime runtime(textures());
  const Kernel one = kernel(runtime, "linear");
  std::vector<std::unique_ptr<Means>> works;
  for (int i = 0; i < 50; ++i) works.push_back(std::make_unique<Means>(static_cast<float>(i)));
  for (const auto& work : works) one.launch(work->stream.get(), work->list());
  for (const auto& work : works) {
    work->stream.wait();
    work->expect_right();
  }
}

// Linear memory is read in place, so a replay reads what is there then.
TEST_F(TexturesOnGpu, AGraphCapturesTexturesOfLinearMemory) {
  const Runtime runtime(textures());
  const Kernel one = kernel(runtime, "linear");
  one.prepare();
  Means work(3);
  const GpuGraph graph(work.stream, [&] { one.launch(work.stream.get(), work.list()); });
  graph.run();
  work.expect_right();
  const std::vector<float> next(kPlaces, 9);
  must(cudaMemcpy(work.x.data(), next.data(), kPlaces * sizeof(float), cudaMemcpyHostToDevice));
  must(cudaDeviceSynchronize());
  graph.run();
  work.x_value = 9;
  work.expect_right();
}

TEST_F(TexturesOnGpu, AGraphDoesNotCaptureArrays) {
  const Runtime runtime(textures());
  const Kernel one = kernel(runtime, "array");
  const Means work(3);
  one.prepare();
  std::string message;
  const GpuGraph graph(work.stream, [&] {
    try {
      one.launch(work.stream.get(), work.list());
    } catch (const LaunchError& error) {
      message = error.what();
    }
  });
  EXPECT_NE(message.find("a graph cannot capture it"), std::string::npos) << message;
  one.launch(work.stream.get(), work.list());
  work.stream.wait();
  work.expect_right();
}

// Those that texture_error() assumes, and the alignment of a sweep's buffers.
TEST_F(TexturesOnGpu, TheDeviceHasTheLimitsThatPlansAssume) {
  const auto limit = [](cudaDeviceAttr attribute) {
    int value = 0;
    must(cudaDeviceGetAttribute(&value, attribute, 0));
    return value;
  };
  EXPECT_GE(limit(cudaDevAttrMaxTexture1DWidth), 131072);
  EXPECT_GE(limit(cudaDevAttrMaxTexture2DWidth), 131072);
  EXPECT_GE(limit(cudaDevAttrMaxTexture2DHeight), 65536);
  for (const cudaDeviceAttr side :
       {cudaDevAttrMaxTexture3DWidth, cudaDevAttrMaxTexture3DHeight, cudaDevAttrMaxTexture3DDepth})
    EXPECT_GE(limit(side), 16384);
  EXPECT_GE(limit(cudaDevAttrMaxTexture2DLinearWidth), 131072);
  EXPECT_GE(limit(cudaDevAttrMaxTexture2DLinearHeight), 65000);
  EXPECT_GE(limit(cudaDevAttrMaxTexture2DLinearPitch), 2'097'120);
  EXPECT_EQ(32 % limit(cudaDevAttrTexturePitchAlignment), 0);
  EXPECT_EQ(512 % limit(cudaDevAttrTextureAlignment), 0);
  const cudaChannelFormatDesc largest =
      cudaCreateChannelDesc(32, 32, 32, 32, cudaChannelFormatKindFloat);
  std::size_t width = 0;
  must(cudaDeviceGetTexture1DLinearMaxWidth(&width, &largest, 0));
  EXPECT_GE(width, std::size_t{1} << 27);
}

// Weights are those of the host device: rounded to 8 bits behind the point. Places in the middle of
// two weights are left out.
TEST_F(TexturesOnGpu, WeightsAreRoundedToTheNearest) {
  RuntimeOptions changed = options();
  changed.catalog.manifests = {source_folder() / "tests" / "definitions" / "lookup.toml"};
  constexpr int kSteps = 1024;  // four for each weight
  std::vector<float> x;
  for (int i = 0; i <= kSteps; ++i)
    if (i % 4 != 2) x.push_back((0.5F + static_cast<float>(i) / kSteps) / 2);
  const Runtime runtime(changed);
  const Kernel kernel = runtime.kernel(
      {"lookup/interpolated",
       {{"count", static_cast<std::int64_t>(x.size())}, {"entries", std::int64_t{2}}},
       DeviceSelector::cuda(0)});
  const GpuFloats places(x);
  const GpuFloats table(std::vector<float>{0, 0, 1, 256});
  const GpuFloats y(2 * x.size());
  const GpuStream stream;
  kernel.launch(stream.get(), {places.data(), table.data(), y.data()});
  stream.wait();
  const std::vector<float> values = y.values();
  for (std::size_t i = 0; i < x.size(); ++i) {
    const float weight = std::round((2 * x[i] - 0.5F) * 256);
    EXPECT_NEAR(values[2 * i], weight / 256, 1e-5) << x[i];
    EXPECT_NEAR(values[2 * i + 1], weight, 1e-3) << x[i];
  }
}

TEST_F(TexturesOnGpu, AMisalignedBufferIsRefused) {
  const Runtime runtime(textures());
  const Kernel one = kernel(runtime, "linear");
  const Means work(3);
  const GpuFloats longer{std::vector<float>(kPlaces + 4, 3)};
  try {
    one.launch(work.stream.get(), {longer.data() + 4, work.shift.data(), work.y.data()});
    FAIL() << "it was launched";
  } catch (const LaunchError& error) {
    EXPECT_NE(std::string(error.what()).find("must begin at a multiple of"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace tilewright::test
