// What the host device reads from textures: the rules of CUDA's programming guide, "Texture
// Fetching", by hand.
#include "tuner/host/threads/texture.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/host/host_support.hpp"
#include "tilewright/error.hpp"
#include "tuner/host/backend.hpp"
#include "tuner/host/session/session.hpp"

namespace tilewright::test {
namespace {

using host::MappedTexture;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

class HostTexture : public testing::Test {
 protected:
  // By one coordinate in each dimension.
  template <class T = float>
  T read(std::vector<float> at) const {
    T element{};
    MappedTexture(plan_, memory_).read(at.data(), &element);
    return element;
  }
  void expect(const std::vector<std::pair<float, float>>& values) const {
    for (const auto& [at, value] : values) EXPECT_EQ(read({at}), value) << at;
  }

  const float numbers_[4] = {10, 20, 40, 80};
  const void* memory_ = numbers_;
  PlannedTexture plan_ = {0, ElementType::float32, 1, {4}, {}, {}};
};

TEST_F(HostTexture, PointFilteringTakesTheElementAroundThePlace) {
  expect({{0, 10}, {0.99F, 10}, {1, 20}, {3.5F, 80}});
  expect({{-0.01F, 10}, {-9, 10}, {4, 80}, {1e9F, 80}, {kInfinity, 80}, {-kInfinity, 10}});
  expect({{kNan, 10}});
  plan_.modes.address = {TextureAddress::border};
  expect({{-0.01F, 0}, {0, 10}, {3.99F, 80}, {4, 0}, {kNan, 0}});
}

TEST_F(HostTexture, LinearFilteringWeighsTheNeighboursOfThePlace) {
  plan_.modes.filter = TextureFilter::linear;
  expect({{0.5F, 10}, {1, 15}, {1.5F, 20}, {2.25F, 35}, {3.5F, 80}});
  expect({{0, 10}, {-5, 10}, {4, 80}, {9, 80}, {kInfinity, 80}, {kNan, 10}});
  plan_.modes.address = {TextureAddress::border};
  expect({{0, 5}, {-0.5F, 0}, {4, 40}, {4.5F, 0}});
}

TEST_F(HostTexture, WeightsHave8BitsOfFractionAnd1IsExact) {
  plan_.modes.filter = TextureFilter::linear;
  const auto weighed = [](double share) { return static_cast<float>(10 + 10 * share); };
  expect({{0.5F + 1.0F / 256, weighed(1.0 / 256)},
          {0.5F + 1.0F / 1024, weighed(0)},
          {0.5F + 3.0F / 1024, weighed(1.0 / 256)},
          {0.5F + 100.3F / 256, weighed(100.0 / 256)},
          {1.5F - 1.0F / 1024, 20}});
}

TEST_F(HostTexture, NormalizedCoordinatesRepeatAndMirror) {
  plan_.modes.coordinates = TextureCoordinates::normalized;
  expect({{0, 10}, {0.25F, 20}, {0.99F, 80}, {1, 80}, {-1, 10}});
  plan_.modes.address = {TextureAddress::wrap};
  expect({{1, 10}, {1.25F, 20}, {-0.25F, 80}, {-3, 10}, {7.5F, 40}});
  plan_.modes.address = {TextureAddress::mirror};
  expect({{0.9F, 80}, {1.1F, 80}, {1.9F, 10}, {-0.1F, 10}, {-0.9F, 80}, {2.3F, 20}, {-1.3F, 40}});
}

TEST_F(HostTexture, NormalizedCoordinatesAreFilteredAcrossTheEdges) {
  plan_.modes = {TextureMemory::array,
                 {TextureAddress::wrap},
                 TextureFilter::linear,
                 TextureRead::element,
                 TextureCoordinates::normalized};
  expect({{0, 45}, {1, 45}, {0.125F, 10}, {1.125F, 10}, {-0.125F, 80}, {0.9375F, 62.5F}});
  plan_.modes.address = {TextureAddress::mirror};
  expect({{0, 10}, {1, 80}, {-0.25F, 15}, {1.25F, 60}});
}

TEST_F(HostTexture, ThreeDimensionsHaveStridesAndModesOfTheirOwn) {
  std::vector<float> volume(4 * 3 * 8, -1);  // rows of 3 in 4, slices of 2 rows in 3
  for (std::size_t z = 0; z < 2; ++z)
    for (std::size_t y = 0; y < 2; ++y)
      for (std::size_t x = 0; x < 3; ++x)
        volume.at(z * 12 + y * 4 + x) = static_cast<float>(x + 10 * y + 100 * z);
  plan_ = {0, ElementType::float32, 1, {3, 2, 2}, {4, 12}, {}};
  memory_ = volume.data();
  EXPECT_EQ(read({2.5F, 1.5F, 0.5F}), 12);
  EXPECT_EQ(read({-4, 9, 1.5F}), 110);
  plan_.modes.filter = TextureFilter::linear;
  EXPECT_EQ(read({1, 1, 1}), 55.5F);
  EXPECT_EQ(read({2.75F, 0.75F, 1.25F}), 2 + 2.5F + 75);
  plan_.modes.address = {TextureAddress::clamp, TextureAddress::border, TextureAddress::clamp};
  EXPECT_EQ(read({3, 2, 1.5F}), 112 / 2.0F);
}

template <class T>
struct Pair {
  T x, y;
  bool operator==(const Pair&) const = default;
};

TEST_F(HostTexture, IntegersAreReadAsTheyAreOrNormalized) {
  const std::int8_t bytes[] = {-128, -127, 127, 0};
  memory_ = bytes;
  plan_.type = ElementType::int8;
  EXPECT_EQ(read<std::int8_t>({0}), -128);
  plan_.modes.read = TextureRead::normalized;
  expect({{0, -1}, {1, -1}, {2, 1}, {3, 0}});
  plan_.modes.filter = TextureFilter::linear;
  expect({{3, 0.5F}});
  const std::uint16_t shorts[] = {65535, 0, 13107, 1};
  memory_ = shorts;
  plan_ = {0, ElementType::uint16, 2, {2}, {}, {}};
  EXPECT_EQ(read<Pair<std::uint16_t>>({0}), (Pair<std::uint16_t>{65535, 0}));
  plan_.modes.read = TextureRead::normalized;
  EXPECT_EQ(read<Pair<float>>({1}), (Pair<float>{0.2F, 1 / 65535.0F}));
  const std::int32_t wide[] = {std::numeric_limits<std::int32_t>::min(), 2147483647};
  memory_ = wide;
  plan_ = {0, ElementType::int32, 1, {2}, {}, {}};
  EXPECT_EQ(read<std::int32_t>({0}), wide[0]);
  EXPECT_EQ(read<std::int32_t>({1}), wide[1]);
}

TEST_F(HostTexture, HalfAndComplexNumbersAreReadAsFloat) {
  const Float16 halves[] = {Float16(0.5), Float16(-3.0)};
  memory_ = halves;
  plan_ = {0, ElementType::float16, 1, {2}, {}, {}};
  expect({{0, 0.5F}, {1, -3}});
  memory_ = numbers_;
  plan_ = {0, ElementType::complex64, 1, {2}, {}, {}};
  EXPECT_EQ(read<Pair<float>>({1.0F}), (Pair<float>{40, 80}));
}

TEST_F(HostTexture, FetchesAre0BeyondTheEnds) {
  plan_.modes.memory = TextureMemory::linear;
  const MappedTexture texture(plan_, memory_);
  for (const auto& [at, value] :
       std::vector<std::pair<int, float>>{{0, 10}, {3, 80}, {4, 0}, {-1, 0}, {1 << 30, 0}}) {
    float element = NAN;
    texture.fetch(at, &element);
    EXPECT_EQ(element, value) << at;
  }
}

TEST_F(HostTexture, ImpossibleOnesAreRefused) {
  plan_.dims[0] = 0;
  EXPECT_THROW(MappedTexture(plan_, memory_), TrialError);
  EXPECT_EQ(MappedTexture::of(0), nullptr);
  alignas(8) const std::uint8_t none[64] = {};
  EXPECT_EQ(MappedTexture::of(reinterpret_cast<TextureHandle>(&none[0])), nullptr);
}

// y = 2 · x, where x comes from a texture.
KernelPlan kernel_that_reads(const std::string& reading, const PlannedTexture& texture) {
  const std::string source =
      "__global__ void run(cudaTextureObject_t x, float* y, int count) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < count) y[i] = 2.0f * " +
      reading + ";\n}\n";
  const CompileResult code = host_compiler().compile(request_for(source, {"run"}));
  EXPECT_TRUE(code.ok()) << code.log;
  KernelPlan plan = doubling_kernel(doubling_source());
  plan.code = code.code;
  plan.symbols = {{"run", code.entries.at("run").symbol}};
  plan.launches.front().textures = {texture};
  plan.launches.front().launches.at(0).arguments.at(0).kind = PlannedArgument::Kind::texture;
  return plan;
}

class TextureKernels : public testing::Test {
 protected:
  void SetUp() override { session_->open(doubling()); }

  std::string failure_of(const std::string& reading) const {
    const Attempt<Resources> loaded = session_->load(kernel_that_reads(reading, texture_));
    if (!loaded.ok()) return loaded.failure().message;
    const Attempt<Verification> verified = session_->verify();
    return verified.ok() ? "" : verified.failure().message;
  }
  void expect_failure(const std::string& reading, const std::string& part) const {
    const std::string failure = failure_of(reading);
    EXPECT_NE(failure.find(part), std::string::npos) << failure;
  }

  std::unique_ptr<Evaluator> session_ = host::make_session();
  PlannedTexture texture_ = {0, ElementType::float32, 1, {kCount}, {}, {}};
};

TEST_F(TextureKernels, ReadBuffers) {
  EXPECT_EQ(failure_of("tex1D<float>(x, i + 0.5f)"), "");
  EXPECT_EQ(failure_of("tex1D<float1>(x, i + 0.5f).x"), "");
  EXPECT_EQ(failure_of("[=] { float e; tex1D(&e, x, i + 0.5f); return e; }()"), "");
  ASSERT_TRUE(session_->sample({}).ok());
  texture_.modes.memory = TextureMemory::linear;
  EXPECT_EQ(failure_of("tex1Dfetch<float>(x, i)"), "");
  texture_ = {0, ElementType::float32, 2, {kCount / 4, 2}, {kCount / 4}, {}};
  EXPECT_EQ(failure_of("[=] { const float2 e = tex2D<float2>(x, i / 2 % 250, i / 500); return i & "
                       "1 ? e.y : e.x; }()"),
            "");
}

TEST_F(TextureKernels, MustReadThemAsTheyAre) {
  expect_failure("tex2D<float>(x, i, 0)", "a texture that tex1D reads is read by tex2D");
  expect_failure("tex1D<float2>(x, i).x",
                 "tex1D reads 2 float of 32 bits from a texture that gives 1 float of 32 bits");
  expect_failure("tex1D<unsigned char>(x, i)",
                 "tex1D reads 1 unsigned integer of 8 bits from a texture");
  expect_failure("tex1D<float>(0, i)", "a read of what is no texture");
  texture_.modes.memory = TextureMemory::linear;
  expect_failure("tex1D<float>(x, i)", "a texture that tex1Dfetch reads is read by tex1D");
}

TEST_F(TextureKernels, AreRefusedAtLoadingIfATextureIsImpossible) {
  texture_.dims = {131073};
  expect_failure("tex1D<float>(x, i)", "a texture: dims[0] = 131073;");
}

// Each launch reads the buffers that it is given.
TEST_F(TextureKernels, FollowTheOperandsOfEachLaunch) {
  const KernelPlan kernel = kernel_that_reads("tex1D<float>(x, i + 0.5f)", texture_);
  ExecutablePlan plan;
  plan.code = kernel.code;
  plan.symbols = kernel.symbols;
  plan.launches = kernel.launches.front();
  plan.sizes = {8, 8};
  const std::unique_ptr<Executable> executable = host::backend().make_executable(plan);
  std::vector<float> y(kCount);
  for (const float value : {1.5F, -3.0F}) {
    std::vector<float> x(kCount, value);
    const CallArgument arguments[] = {{x.data(), {}}, {y.data(), {}}};
    executable->launch(arguments, {}, ClearWorkspace::no, nullptr);
    EXPECT_EQ(y, std::vector<float>(kCount, 2 * value));
  }
  plan.launches.textures.front().lanes = 3;
  EXPECT_THROW(host::backend().make_executable(plan), MachineError);
}

}  // namespace
}  // namespace tilewright::test
