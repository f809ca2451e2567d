// ConvLayer on the host device, against sums written out.
#include "tilewright/conv_layer.hpp"

#include <gtest/gtest.h>

#include "tests/unit/runtime/blend.hpp"
#include "tests/unit/runtime/built_in.hpp"

namespace tilewright::test {
namespace {

ConvLayerOptions naive_layer() {
  ConvLayerOptions options;
  options.device = DeviceSelector::host();
  options.implementation = "naive";
  return options;
}

// Two pixels of 2 channels, two filters of 2 taps, which meet pixels 0 and 1, then 1 alone.
const std::vector<float> kPixels = {1, 2, 3, 4};
const std::vector<float> kFilters = {1, 10, 100, 1000, 2, 20, 200, 2000};
constexpr double kFirst = 1 + 20 + 300 + 4000, kSecond = 3 + 40;

ConvLayerCall two_pixels(const auto& pixels, const auto& filters, auto& output) {
  ConvLayerCall call{.channels_in = 2, .channels_out = 2, .width = 2, .filter_width = 2};
  call.width_out = 2;
  call.image = pixels.data();
  call.filter = filters.data();
  call.output = output.data();
  return call;
}

TEST(TypedLayer, SumsOverChannelsAndTapsInEachType) {
  const Runtime runtime(built_in());
  const ConvLayer layer(runtime, naive_layer());
  std::vector<float> output(4);
  layer.launch(nullptr, two_pixels(kPixels, kFilters, output));
  EXPECT_EQ(output, (std::vector<float>{kFirst, 2 * kFirst, kSecond, 2 * kSecond}));
  const std::vector<double> pixels(kPixels.begin(), kPixels.end());
  const std::vector<double> filters(kFilters.begin(), kFilters.end());
  std::vector<double> wide(4);
  layer.launch(nullptr, two_pixels(pixels, filters, wide));
  EXPECT_EQ(wide, (std::vector<double>{kFirst, 2 * kFirst, kSecond, 2 * kSecond}));
}

TEST(TypedLayer, AddsToTheOutput) {
  const Runtime runtime(built_in());
  const ConvLayer layer(runtime, naive_layer());
  std::vector<float> output = {1, 2, 3, 4};
  ConvLayerCall call = two_pixels(kPixels, kFilters, output);
  call.alpha = 0.5;
  call.beta = 2;
  layer.launch(nullptr, call);
  EXPECT_EQ(output, (std::vector<float>{kFirst / 2 + 2, kFirst + 4, kSecond / 2 + 6, kSecond + 8}));
}

TEST(TypedLayer, OutputsOfIntegersHaveWholeFactorsOrAreNarrow) {
  const Runtime runtime(built_in());
  const ConvLayer layer(runtime, naive_layer());
  const std::vector<std::int8_t> pixels = {1, 2, 3, 4}, filters = {1, 10, 100, 1, 2, 20, -100, 2};
  std::vector<std::int32_t> sums(4);
  ConvLayerCall call = two_pixels(pixels, filters, sums);
  call.alpha = 3;
  layer.launch(nullptr, call);
  EXPECT_EQ(sums, (std::vector<std::int32_t>{3 * 325, 3 * -250, 3 * 43, 3 * 86}));
  call.alpha = 0.5;
  EXPECT_NE(message_of<InputError>([&] {
              layer.launch(nullptr, call);
            }).find("conv_layer: alpha is 0.5; where the output is int32"),
            std::string::npos);
  std::vector<std::int8_t> narrow(16);
  call.output = narrow.data();
  layer.launch(nullptr, call);
  EXPECT_EQ(narrow[0], 127);
  EXPECT_EQ(narrow[2], 22);  // 21.5, to the even one
}

TEST(TypedLayer, TakesEachLayoutAndBoundary) {
  const Runtime runtime(built_in());
  ConvLayerOptions options = naive_layer();
  options.layout = ImageLayout::nchw;
  options.filter_layout = FilterLayout::kcrs;
  options.boundary = Boundary::wrap;
  const ConvLayer layer(runtime, options);
  const std::vector<float> pixels = {1, 3, 2, 4}, filters = {1, 100, 10, 1000, 2, 200, 20, 2000};
  std::vector<float> output(4);
  const ConvLayerCall call = two_pixels(pixels, filters, output);
  layer.launch(nullptr, call);
  constexpr double second = kSecond + 100 + 2000;
  EXPECT_EQ(output, (std::vector<float>{kFirst, second, 2 * kFirst, 2 * second}));
  const Settings problem = layer.kernel(call).answer().problem.values;
  EXPECT_EQ(problem.at("layout"), Value("nchw"));
  EXPECT_EQ(problem.at("height_out"), Value(1));
}

TEST(TypedLayer, AFilterIsPreparedOnce) {
  const Runtime runtime(built_in());
  const ConvLayer layer(runtime, naive_layer());
  std::vector<float> output(4);
  ConvLayerCall call = two_pixels(kPixels, kFilters, output);
  const PreparedInput prepared = layer.prepare_filter(nullptr, call);
  call.filter = {ElementType::float32, nullptr};
  call.prepared_filter = &prepared;
  layer.launch(nullptr, call);
  EXPECT_EQ(output[3], 2 * kSecond);
}

}  // namespace
}  // namespace tilewright::test
