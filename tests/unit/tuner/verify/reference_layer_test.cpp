#include <gtest/gtest.h>

#include "tests/unit/tuner/verify/samples.hpp"
#include "tilewright/error.hpp"
#include "tuner/verify/reference.hpp"

namespace tilewright {
namespace {

struct LayerSample {
  Settings settings;
  std::vector<float> image, filter;
  std::int64_t outputs;
};

std::vector<double> outputs_of(const LayerSample& sample, float alpha = 1) {
  PlannedBuffer factor = make_buffer("alpha", 1);
  factor.kind = ArgumentKind::scalar;
  const std::vector<PlannedBuffer> buffers = {
      make_buffer("image", static_cast<std::int64_t>(sample.image.size())),
      make_buffer("filter", static_cast<std::int64_t>(sample.filter.size())),
      make_buffer("output", sample.outputs, ElementType::float32, ArgumentRole::inout), factor};
  const std::vector<float> before(static_cast<std::size_t>(sample.outputs), 1000);
  const ArgumentData data = {to_bytes(sample.image), to_bytes(sample.filter), to_bytes(before),
                             to_bytes<float>({alpha})};
  const auto reference =
      make_reference("conv_layer", {"conv_layer", sample.settings}, buffers, data);
  std::vector<double> outputs;
  for (std::int64_t i = 0; i < sample.outputs; ++i) outputs.push_back(reference->at(2, i));
  return outputs;
}

std::vector<float> counted(int count) {
  std::vector<float> values;
  for (int i = 1; i <= count; ++i) values.push_back(static_cast<float>(i));
  return values;
}

// One image of 3 × 3 pixels with 2 channels, and two filters of 2 × 2:
// torch.nn.functional.conv2d(x, w, stride=2, padding=1) of the same numbers.
const Settings kSmall = {{"channels_in", 2}, {"channels_out", 2}, {"width", 3},
                         {"height", 3},      {"filter_width", 2}, {"filter_height", 2},
                         {"stride_x", 2},    {"stride_y", 2},     {"padding_x", 1},
                         {"padding_y", 1},   {"layout", "nchw"},  {"filter_layout", "kcrs"}};

TEST(LayerReference, SumsOverChannelsAndTaps) {
  const LayerSample sample = {kSmall, counted(18), counted(16), 8};
  // Output (0, 0) meets pixel 0 with tap (1, 1): 1 · 4 + 10 · 8 for the first filter.
  EXPECT_EQ(outputs_of(sample), (std::vector<double>{84, 191, 242, 500, 172, 415, 562, 1236}));
}

TEST(LayerReference, AddsToTheOutputAndScales) {
  LayerSample sample = {kSmall, counted(18), counted(16), 8};
  sample.settings["accumulate"] = "yes";
  EXPECT_EQ(outputs_of(sample, 0.5).front(), 0.5 * 84 + 1000);
}

// The same numbers in every layout.
TEST(LayerReference, LayoutsSayWhereNumbersLie) {
  const LayerSample planar = {kSmall, counted(18), counted(16), 8};
  const std::vector<double> expected = outputs_of(planar);
  std::vector<float> pixels, taps;
  for (int pixel = 0; pixel < 9; ++pixel)
    for (int channel = 0; channel < 2; ++channel)
      pixels.push_back(static_cast<float>(1 + channel * 9 + pixel));
  for (int filter = 0; filter < 2; ++filter)
    for (int tap = 0; tap < 4; ++tap)
      for (int channel = 0; channel < 2; ++channel)
        taps.push_back(static_cast<float>(1 + (filter * 2 + channel) * 4 + tap));
  LayerSample last = {kSmall, pixels, taps, 8};
  last.settings["layout"] = "nhwc";
  last.settings["filter_layout"] = "krsc";
  const std::vector<double> found = outputs_of(last);
  for (std::size_t pixel = 0; pixel < 4; ++pixel)
    for (std::size_t channel = 0; channel < 2; ++channel)
      EXPECT_EQ(found[pixel * 2 + channel], expected[channel * 4 + pixel]);
}

TEST(LayerReference, GroupsSeeTheirOwnChannels) {
  const Settings depthwise = {{"channels_in", 2}, {"channels_out", 4}, {"groups", 2}, {"width", 1}};
  EXPECT_EQ(outputs_of({depthwise, {10, 100}, {1, 2, 3, 4}, 4}),
            (std::vector<double>{10, 20, 300, 400}));
}

TEST(LayerReference, DilatesAndLeavesPaddingOut) {
  Settings signal = {{"channels_in", 1},  {"channels_out", 1}, {"width", 5},
                     {"filter_width", 2}, {"dilation_x", 3},   {"padding_x", 2}};
  EXPECT_EQ(outputs_of({signal, {1, 2, 3, 4, 5}, {1, 10}, 6}),
            (std::vector<double>{20, 30, 41, 52, 3, 4}));
  signal["boundary"] = "wrap";
  EXPECT_EQ(outputs_of({signal, {1, 2, 3, 4, 5}, {1, 10}, 6}),
            (std::vector<double>{24, 35, 41, 52, 13, 24}));
  signal["width_out"] = 9;  // further places lie in the padding
  signal["boundary"] = "zero";
  EXPECT_EQ(outputs_of({signal, {1, 2, 3, 4, 5}, {1, 10}, 9}),
            (std::vector<double>{20, 30, 41, 52, 3, 4, 5, 0, 0}));
}

TEST(LayerReference, SumsPlanes) {
  const Settings volume = {{"channels_in", 1}, {"channels_out", 1}, {"width", 1},
                           {"depth", 3},       {"filter_depth", 2}, {"stride_z", 1}};
  EXPECT_EQ(outputs_of({volume, {1, 2, 3}, {1, 10}, 2}), (std::vector<double>{21, 32}));
}

TEST(LayerReference, RefusesGroupsThatDoNotDivideTheChannels) {
  const Settings odd = {{"channels_in", 3}, {"channels_out", 4}, {"groups", 2}, {"width", 1}};
  EXPECT_THROW(outputs_of({odd, {1, 2, 3}, {1, 2, 3, 4}, 4}), InputError);
}

}  // namespace
}  // namespace tilewright
