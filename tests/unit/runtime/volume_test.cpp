// The helpers for volumes on the host device, against sums written out.
#include "tilewright/volume.hpp"

#include "tests/unit/runtime/blend.hpp"
#include "tests/unit/runtime/built_in.hpp"

namespace tilewright::test {
namespace {

constexpr std::int64_t kWidth = 4, kHeight = 3, kDepth = 5;

// Small whole numbers, so that sums are exact in whatever order.
std::vector<float> volume_numbers() {
  std::vector<float> values(kWidth * kHeight * kDepth);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>((static_cast<int>(i) * 7) % 5 - 2);
  return values;
}

float at(const std::vector<float>& values, std::int64_t z, std::int64_t y, std::int64_t x) {
  const bool exists = z >= 0 && z < kDepth && y >= 0 && y < kHeight && x >= 0 && x < kWidth;
  return exists ? values[static_cast<std::size_t>((z * kHeight + y) * kWidth + x)] : 0;
}

// Calls expect(z, y, x, output) for each element.
template <class Expect>
void for_each_element(const std::vector<float>& output, const Expect& expect) {
  for (std::int64_t z = 0; z < kDepth; ++z)
    for (std::int64_t y = 0; y < kHeight; ++y)
      for (std::int64_t x = 0; x < kWidth; ++x) expect(z, y, x, at(output, z, y, x));
}

TEST(Convolution3dHelper, FiltersAVolume) {
  const Runtime runtime(built_in());
  ConvolutionOptions options;
  options.device = DeviceSelector::host();
  const Convolution3d convolution(runtime, options);
  const std::vector<float> volume = volume_numbers();
  const std::vector<float> filter = {1, -2, 3, 2, 0, 1};  // 3 planes of 1 × 2
  std::vector<float> output(volume.size());
  Convolution3dCall call;
  call.width = kWidth;
  call.height = kHeight;
  call.depth = kDepth;
  call.filter_width = 2;
  call.filter_height = 1;
  call.filter_depth = 3;
  call.anchor_x = 0;
  call.volume = volume.data();
  call.filter = filter.data();
  call.output = output.data();
  convolution.launch(nullptr, call);
  for_each_element(output, [&](std::int64_t z, std::int64_t y, std::int64_t x, float value) {
    float sum = 0;
    for (std::int64_t plane = 0; plane < 3; ++plane)
      for (std::int64_t i = 0; i < 2; ++i)
        sum +=
            filter[static_cast<std::size_t>(plane * 2 + i)] * at(volume, z + plane - 1, y, x + i);
    EXPECT_EQ(value, sum) << z << ' ' << y << ' ' << x;
  });
  call.depth = 0;
  EXPECT_THROW(convolution.kernel(call), InputError);
}

class Stencil3dHelper : public testing::Test {
 protected:
  Stencil3dHelper() : runtime_(built_in()), field_(volume_numbers()), output_(field_.size()) {
    options_.device = DeviceSelector::host();
    call_.width = kWidth;
    call_.height = kHeight;
    call_.depth = kDepth;
    call_.field = field_.data();
    call_.coefficients = kCoefficients.data();
    call_.output = output_.data();
  }

  // One step of zeros beyond the faces.
  static std::vector<float> step(const std::vector<float>& from) {
    std::vector<float> to;
    for_each_element(from, [&](std::int64_t z, std::int64_t y, std::int64_t x, float value) {
      to.push_back(2 * value - (at(from, z, y, x - 1) + at(from, z, y, x + 1)) +
                   3 * (at(from, z, y - 1, x) + at(from, z, y + 1, x)) +
                   (at(from, z - 1, y, x) + at(from, z + 1, y, x)));
    });
    return to;
  }

  static constexpr std::array<float, 4> kCoefficients = {2, -1, 3, 1};
  Runtime runtime_;
  Stencil3dOptions options_;
  Stencil3dCall call_;
  std::vector<float> field_, output_;
};

TEST_F(Stencil3dHelper, TakesAnyNumberOfSteps) {
  const Stencil3d stencil(runtime_, options_);
  std::vector<float> expected = field_;
  for (std::int64_t steps = 0; steps <= 3; ++steps) {
    call_.steps = steps;
    const std::int64_t bytes = stencil.kernel(call_).workspace_bytes();
    alignas(256) std::array<std::byte, 1024> workspace;
    ASSERT_LE(bytes, static_cast<std::int64_t>(workspace.size()));
    stencil.launch(nullptr, call_, {workspace.data()});
    EXPECT_EQ(output_, expected) << steps;
    expected = step(expected);
  }
}

TEST_F(Stencil3dHelper, KeepsFixedPoints) {
  options_.boundary = StencilBoundary::fixed;
  Stencil3d(runtime_, options_).launch(nullptr, call_);
  const std::vector<float> all = step(field_);
  for_each_element(output_, [&](std::int64_t z, std::int64_t y, std::int64_t x, float value) {
    const bool is_inside =
        z > 0 && z < kDepth - 1 && y > 0 && y < kHeight - 1 && x > 0 && x < kWidth - 1;
    EXPECT_EQ(value, at(is_inside ? all : field_, z, y, x)) << z << ' ' << y << ' ' << x;
  });
}

TEST_F(Stencil3dHelper, RefusesCoefficientsOfAnotherTypeAndAnEpilogueOfSeveralSteps) {
  const std::array<double, 4> wide = {2, -1, 3, 1};
  call_.coefficients = wide.data();
  const Stencil3d stencil(runtime_, options_);
  EXPECT_NE(message_of<InputError>([&] { stencil.launch(nullptr, call_); }).find("coefficients"),
            std::string::npos);
  options_.epilogue = "residual";
  call_.steps = 2;
  const Stencil3d added(runtime_, options_);
  EXPECT_NE(
      message_of<InputError>([&] { added.kernel(call_); }).find("an epilogue is for one step"),
      std::string::npos);
}

}  // namespace
}  // namespace tilewright::test
