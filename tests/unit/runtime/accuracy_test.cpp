// What `accuracy` promises, on the host device: images with a large offset, a spike, a NaN and
// infinities, filtered by a Fourier transform and directly, against sums in float64.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>

#include "tests/unit/runtime/blend.hpp"
#include "tests/unit/runtime/built_in.hpp"
#include "tilewright/convolution.hpp"

namespace tilewright::test {
namespace {

using Accuracy = ConvolutionOptions::Accuracy;

constexpr int kSize = 300;  // of the image; tiles of the transform have 128 × 128 samples
constexpr int kTaps = 11;
constexpr int kReach = kTaps / 2;
constexpr int kTile = 128;
constexpr double kEpsilon = 0x1p-23;

std::vector<float> uniform(int count, float middle, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> values(middle - 1, middle + 1);
  std::vector<float> all(static_cast<std::size_t>(count));
  std::ranges::generate(all, [&] { return values(random); });
  return all;
}

std::size_t pixel_at(int y, int x) {
  return static_cast<std::size_t>(y * kSize + x);
}

// An image, a filter, and the right answers. What is not finite counts as 0 in these.
struct Case {
  std::vector<float> image = uniform(kSize * kSize, 0, 1);
  std::vector<float> filter = uniform(kTaps * kTaps, 0, 2);

  double right(int y, int x) const {
    double sum = 0;
    for (int j = 0; j < kTaps; ++j)
      for (int i = 0; i < kTaps; ++i) {
        const int row = y + j - kReach, column = x + i - kReach;
        if (row < 0 || row >= kSize || column < 0 || column >= kSize) continue;
        const double sample = image[pixel_at(row, column)];
        if (std::isfinite(sample))
          sum += static_cast<double>(filter[static_cast<std::size_t>(j * kTaps + i)]) * sample;
      }
    return sum;
  }

  std::vector<float> filtered(Accuracy accuracy) const {
    static const auto& runtime = *new const Runtime(built_in());
    ConvolutionOptions options;
    options.device = DeviceSelector::host();
    options.accuracy = accuracy;
    options.implementation = accuracy == Accuracy::normwise ? "fft" : "halo";
    const Convolution2d convolution(runtime, options);
    std::vector<float> output(image.size());
    Convolution2dCall call{.width = kSize, .height = kSize};
    call.filter_width = call.filter_height = kTaps;
    call.image = image.data();
    call.filter = filter.data();
    call.output = output.data();
    const auto bytes = static_cast<std::size_t>(convolution.kernel(call).workspace_bytes());
    EXPECT_EQ(bytes > 0, accuracy == Accuracy::normwise);
    void* const workspace = std::aligned_alloc(256, bytes / 256 * 256 + 256);
    convolution.launch(nullptr, call, {workspace});
    std::free(workspace);
    return output;
  }

  // The largest error where `counts` holds. What is not finite there is infinite.
  double error(const std::vector<float>& output, const auto& counts) const {
    double largest = 0;
    for (int y = 0; y < kSize; ++y)
      for (int x = 0; x < kSize; ++x) {
        if (!counts(y, x)) continue;
        const double error = std::abs(output[pixel_at(y, x)] - right(y, x));
        largest = std::max(largest, std::isfinite(error) ? error : HUGE_VAL);
      }
    return largest;
  }
};

bool anywhere(int /*y*/, int /*x*/) {
  return true;
}

// Whether an output is so far from the sample at (kAt, kAt) in one direction at least.
constexpr int kAt = 20;
auto farther_than(int distance) {
  return [distance](int y, int x) {
    return std::abs(y - kAt) > distance || std::abs(x - kAt) > distance;
  };
}

TEST(Accuracy, OfUniformSamplesIsThatOfTheLargestOutput) {
  const Case uniform_case;
  const std::vector<float> output = uniform_case.filtered(Accuracy::normwise);
  const auto magnitude = [](float value) { return std::abs(value); };
  const double largest = magnitude(*std::ranges::max_element(output, {}, magnitude));
  EXPECT_LT(uniform_case.error(output, anywhere), 5e-7 * largest);
}

// 1000 and noise, with a filter whose taps add up to 0.
TEST(Accuracy, OfALargeOffsetIsRelativeToIt) {
  Case offset;
  offset.image = uniform(kSize * kSize, 1000, 1);
  double mean = 0;
  for (const float tap : offset.filter) mean += tap;
  for (float& tap : offset.filter) tap -= static_cast<float>(mean / (kTaps * kTaps));
  constexpr double kAllowed = 1000 * kEpsilon * kTaps * kTaps;
  EXPECT_LT(offset.error(offset.filtered(Accuracy::normwise), anywhere), kAllowed);
  EXPECT_LT(offset.error(offset.filtered(Accuracy::elementwise), anywhere), kAllowed);
}

TEST(Accuracy, OfATileWithASpikeIsRelativeToIt) {
  Case spike;
  spike.image[pixel_at(kAt, kAt)] = 1e6F;
  const std::vector<float> transformed = spike.filtered(Accuracy::normwise);
  EXPECT_LT(spike.error(transformed, anywhere), 1e6 * 10 * kEpsilon);
  EXPECT_GT(spike.error(transformed, farther_than(kReach)), 1e-4) << "else the docs say too much";
  EXPECT_LT(spike.error(transformed, farther_than(kTile)), 1e-5);
  const std::vector<float> direct = spike.filtered(Accuracy::elementwise);
  EXPECT_LT(spike.error(direct, farther_than(kReach)), 1e-5);
}

TEST(Accuracy, OfASampleThatIsNoNumberIsThatOfItsTileOrItsReach) {
  for (const float sample :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    Case spoilt;
    spoilt.image[pixel_at(kAt, kAt)] = sample;
    for (const Accuracy accuracy : {Accuracy::normwise, Accuracy::elementwise}) {
      const std::vector<float> output = spoilt.filtered(accuracy);
      const int spoils = accuracy == Accuracy::normwise ? kTile : kReach;
      EXPECT_LT(spoilt.error(output, farther_than(spoils)), 1e-5);
      for (int y = kAt - kReach; y <= kAt + kReach; ++y)
        for (int x = kAt - kReach; x <= kAt + kReach; ++x)
          EXPECT_FALSE(std::isfinite(output[pixel_at(y, x)])) << y << ' ' << x;
      // Beyond the taps' reach, and in the first tile even of one of 64 × 64 samples.
      EXPECT_EQ(std::isfinite(output[pixel_at(2 * kAt, 2 * kAt)]),
                accuracy == Accuracy::elementwise);
    }
  }
}

TEST(Accuracy, ElementwiseTakesNoTransform) {
  const Runtime runtime(built_in());
  ConvolutionOptions options;
  options.device = DeviceSelector::host();
  options.accuracy = Accuracy::elementwise;
  options.implementation = "fft";
  const Convolution2d convolution(runtime, options);
  const Convolution2dCall call{
      .width = kSize, .height = kSize, .filter_width = kTaps, .filter_height = kTaps};
  EXPECT_NE(
      message_of<InputError>([&] { convolution.kernel(call); }).find("no default of conv2d/fft"),
      std::string::npos);
}

}  // namespace
}  // namespace tilewright::test
