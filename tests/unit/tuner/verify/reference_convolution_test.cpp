#include <gtest/gtest.h>

#include "tests/unit/tuner/verify/samples.hpp"
#include "tilewright/error.hpp"
#include "tuner/verify/reference.hpp"

namespace tilewright {
namespace {

std::vector<double> outputs_of(const std::string& name, const Problem& problem,
                               const std::vector<PlannedBuffer>& buffers,
                               const ArgumentData& data) {
  const auto reference = make_reference(name, problem, buffers, data);
  std::vector<double> outputs;
  for (std::int64_t i = 0; i < buffers[0].count; ++i) outputs.push_back(reference->at(3, i));
  return outputs;
}

std::vector<double> filtered(const std::vector<float>& signal, const std::vector<float>& filter,
                             const std::string& boundary, const std::string& flip = "no",
                             std::int64_t batch = 1) {
  const auto samples = static_cast<std::int64_t>(signal.size());
  const auto taps = static_cast<std::int64_t>(filter.size());
  const Problem problem{"conv1d",
                        {{"length", samples / batch},
                         {"taps", taps},
                         {"batch", batch},
                         {"boundary", boundary},
                         {"flip", flip}}};
  return outputs_of("conv1d", problem,
                    {make_buffer("signal", samples), make_buffer("filter", taps)},
                    {to_bytes(signal), to_bytes(filter)});
}

struct BoundaryCase {
  std::string boundary;
  std::vector<double> odd, even, longer;  // 3, 4 and 13 taps
};

// What SciPy 1.x's ndimage.correlate1d gives for modes constant, nearest, reflect, mirror, wrap.
const std::vector<BoundaryCase>& scipy_results() {
  static const std::vector<BoundaryCase> results = {
      {"zero",
       {210, 421, 842, -216, -22},
       {2100, 4210, 8421, -2158, -216},
       {194, 136, 56, -92, 168}},
      {"replicate",
       {211, 421, 842, -216, -322},
       {2111, 4211, 8421, -2158, -3216},
       {201, 45, -111, -321, -115}},
      {"reflect",
       {211, 421, 842, -216, -322},
       {2112, 4211, 8421, -2158, -3216},
       {655, -41, 180, 129, 425}},
      {"mirror",
       {212, 421, 842, -216, 778},
       {2124, 4212, 8421, -2158, 7784},
       {163, 390, 334, 259, 541}},
      {"wrap",
       {207, 421, 842, -216, 78},
       {2078, 4207, 8421, -2158, 784},
       {281, 279, 312, -291, 691}},
  };
  return results;
}

TEST(Conv1dReference, AgreesWithSciPyAtEveryBoundary) {
  const std::vector<float> signal = {1, 2, 4, 8, -3};
  for (const auto& [boundary, odd, even, longer] : scipy_results()) {
    EXPECT_EQ(filtered(signal, {1, 10, 100}, boundary), odd) << boundary;
    EXPECT_EQ(filtered(signal, {1, 10, 100, 1000}, boundary), even) << boundary;
    EXPECT_EQ(filtered(signal, {1, -2, 3, 5, 7, 11, -13, 17, 19, 23, 29, -31, 37}, boundary),
              longer)
        << boundary;
  }
}

// The worked example of teaching texts on tiled convolution: halo 1, samples 1 … 8.
TEST(Conv1dReference, SumsOfThreeNeighbours) {
  EXPECT_EQ(filtered({1, 2, 3, 4, 5, 6, 7, 8}, {1, 1, 1}, "zero"),
            (std::vector<double>{3, 6, 9, 12, 15, 18, 21, 15}));
}

TEST(Conv1dReference, AcceptsASingleSample) {
  EXPECT_EQ(filtered({5}, {1, 10, 100}, "zero"), std::vector<double>{50});
  for (const char* boundary : {"replicate", "reflect", "mirror", "wrap"})
    EXPECT_EQ(filtered({5}, {1, 10, 100}, boundary), std::vector<double>{555}) << boundary;
}

TEST(Conv1dReference, FlipReversesTheFilterAboutTheSameHalos) {
  EXPECT_EQ(filtered({1, 2, 4, 8, -3}, {1, 10, 100, 1000}, "zero", "yes"),
            filtered({1, 2, 4, 8, -3}, {1000, 100, 10, 1}, "zero"));
}

TEST(Conv1dReference, SignalsOfABatchDoNotTouch) {
  EXPECT_EQ(filtered({1, 2, 10, 20}, {1, 1, 1}, "replicate", "no", 2),
            (std::vector<double>{4, 5, 40, 50}));
}

TEST(Conv1dReference, RefusesAnUnknownBoundary) {
  EXPECT_THROW(filtered({1}, {1}, "circular"), InputError);
}

// An image of 2 × 3 with rows of 4, `planes` of them, and what is in the output before.
std::vector<double> filtered_image(Settings settings, const std::vector<float>& image,
                                   const std::vector<float>& filter) {
  settings.insert({{"width", 3}, {"height", 2}, {"pitch", 4}});
  const std::vector<float> before(image.size(), 7);
  const auto count = static_cast<std::int64_t>(image.size());
  std::vector<PlannedBuffer> buffers = {
      make_buffer("image", count), make_buffer("filter", static_cast<std::int64_t>(filter.size())),
      make_buffer("output", count, ElementType::float32, ArgumentRole::inout)};
  return outputs_of("conv2d", {"conv2d", settings}, buffers,
                    {to_bytes(image), to_bytes(filter), to_bytes(before)});
}

const std::vector<float> kImage = {1, 2, 3, -1, 4, 5, 6, -1};

TEST(Conv2dReference, ShiftsByTheAnchorAndLeavesWhatIsBetweenRows) {
  const Settings one = {{"filter_width", 1}, {"filter_height", 1}};
  EXPECT_EQ(filtered_image(one, kImage, {10}), (std::vector<double>{10, 20, 30, 7, 40, 50, 60, 7}));
  Settings shifted = one;
  shifted["anchor_x"] = -1;
  EXPECT_EQ(filtered_image(shifted, kImage, {1}), (std::vector<double>{2, 3, 0, 7, 5, 6, 0, 7}));
  shifted["anchor_x"] = 0;
  shifted["anchor_y"] = 1;
  shifted["boundary"] = "wrap";
  EXPECT_EQ(filtered_image(shifted, kImage, {1}), (std::vector<double>{4, 5, 6, 7, 1, 2, 3, 7}));
}

TEST(Conv2dReference, SumsFromHalfTheFilterBeforeAndReversesBothAxes) {
  Settings settings = {{"filter_width", 3}, {"filter_height", 2}};
  EXPECT_EQ(filtered_image(settings, kImage, {1, 10, 100, 1000, 10000, 100000}),
            (std::vector<double>{210000, 321000, 32000, 7, 540210, 654321, 65032, 7}));
  settings["flip"] = "yes";
  EXPECT_EQ(filtered_image(settings, kImage, {100000, 10000, 1000, 100, 10, 1}),
            (std::vector<double>{210000, 321000, 32000, 7, 540210, 654321, 65032, 7}));
}

TEST(Conv2dReference, ChannelsHaveTheirOwnFiltersIfAsked) {
  std::vector<float> images = kImage;  // 2 channels of 2 images
  for (int plane = 1; plane < 4; ++plane) images.insert(images.end(), kImage.begin(), kImage.end());
  Settings settings = {{"filter_width", 1}, {"filter_height", 1}, {"channels", 2}, {"batch", 2}};
  EXPECT_EQ(filtered_image(settings, images, {3}).at(24), 3);
  settings["filters"] = "per_channel";
  const std::vector<double> own = filtered_image(settings, images, {3, 5});
  EXPECT_EQ((std::vector<double>{own.at(0), own.at(8), own.at(16), own.at(24)}),
            (std::vector<double>{3, 5, 3, 5}));
}

TEST(Conv2dReference, OfAnOuterProductIsTheSeparableOne) {
  const std::vector<float> image = {0, 1, 4, 2, 2, 4, 1, 0, 1, 4, 2, 2};
  const std::vector<float> rows = {1, 2, 3, 4};
  const std::vector<float> columns = {5, -6, 7, 1};
  std::vector<float> product;
  for (const float down : columns)
    for (const float across : rows) product.push_back(down * across);
  const std::vector<PlannedBuffer> separable = {make_buffer("image", 12), make_buffer("rows", 4),
                                                make_buffer("columns", 4)};
  const std::vector<PlannedBuffer> whole = {make_buffer("image", 12), make_buffer("filter", 16),
                                            make_buffer("output", 12)};
  for (const char* boundary : {"zero", "replicate", "reflect", "mirror", "wrap"}) {
    const Settings size = {{"height", 3}, {"width", 4}, {"boundary", boundary}};
    Settings one = size;
    one["taps"] = 4;
    Settings other = size;
    other["filter_width"] = other["filter_height"] = 4;
    EXPECT_EQ(outputs_of("conv2d", {"conv2d", other}, whole,
                         {to_bytes(image), to_bytes(product), to_bytes(image)}),
              outputs_of("conv2d_separable", {"separable2d", one}, separable,
                         {to_bytes(image), to_bytes(rows), to_bytes(columns)}))
        << boundary;
  }
}

// A volume of 3 planes of 1 × 2, 1 2 | 3 4 | 5 6.
std::vector<double> filtered_volume(Settings settings, const std::vector<float>& filter) {
  settings.insert({{"width", 2}, {"height", 1}, {"depth", 3}});
  const std::vector<float> volume = {1, 2, 3, 4, 5, 6};
  const std::vector<PlannedBuffer> buffers = {
      make_buffer("volume", 6), make_buffer("filter", static_cast<std::int64_t>(filter.size())),
      make_buffer("output", 6, ElementType::float32, ArgumentRole::inout)};
  return outputs_of("conv3d", {"conv3d", settings}, buffers,
                    {to_bytes(volume), to_bytes(filter), to_bytes(volume)});
}

TEST(Conv3dReference, SumsPlanesFromHalfTheFilterBeforeAndReversesAllAxes) {
  Settings settings = {{"filter_width", 1}, {"filter_height", 1}, {"filter_depth", 3}};
  EXPECT_EQ(filtered_volume(settings, {1, 10, 100}),
            (std::vector<double>{310, 420, 531, 642, 53, 64}));
  settings["boundary"] = "replicate";
  EXPECT_EQ(filtered_volume(settings, {1, 10, 100}),
            (std::vector<double>{311, 422, 531, 642, 553, 664}));
  settings["flip"] = "yes";
  EXPECT_EQ(filtered_volume(settings, {100, 10, 1}),
            (std::vector<double>{311, 422, 531, 642, 553, 664}));
  settings = {{"filter_width", 2}, {"filter_height", 1}, {"filter_depth", 2}};
  EXPECT_EQ(filtered_volume(settings, {1, 10, 100, 1000}),
            (std::vector<double>{1000, 2100, 3010, 4321, 5030, 6543}));
}

TEST(Conv3dReference, ShiftsByTheAnchor) {
  Settings settings = {{"filter_width", 1}, {"filter_height", 1}, {"filter_depth", 1}};
  settings["anchor_z"] = -1;
  EXPECT_EQ(filtered_volume(settings, {1}), (std::vector<double>{3, 4, 5, 6, 0, 0}));
  settings["anchor_z"] = 1;
  settings["boundary"] = "wrap";
  EXPECT_EQ(filtered_volume(settings, {1}), (std::vector<double>{5, 6, 1, 2, 3, 4}));
}

TEST(Conv2dReference, RefusesRowsThatOverlap) {
  EXPECT_THROW(
      outputs_of(
          "conv2d",
          {"conv2d",
           {{"width", 4}, {"height", 1}, {"pitch", 3}, {"filter_width", 1}, {"filter_height", 1}}},
          {make_buffer("image", 3), make_buffer("filter", 1), make_buffer("output", 3)},
          {to_bytes<float>({1, 2, 3}), to_bytes<float>({1}), to_bytes<float>({1, 2, 3})}),
      InputError);
}

// An image of 2 × 3 with rows of 4, and filters of their own lengths.
std::vector<double> filtered_apart(Settings settings, const std::vector<float>& image,
                                   const std::vector<float>& rows,
                                   const std::vector<float>& columns) {
  settings.insert({{"width", 3}, {"height", 2}, {"pitch", 4}});
  const std::vector<float> before(image.size(), 7);
  const auto count = static_cast<std::int64_t>(image.size());
  const std::vector<PlannedBuffer> buffers = {
      make_buffer("image", count), make_buffer("rows", static_cast<std::int64_t>(rows.size())),
      make_buffer("columns", static_cast<std::int64_t>(columns.size())),
      make_buffer("output", count, ElementType::float32, ArgumentRole::inout)};
  return outputs_of("conv2d_separable", {"conv2d_separable", settings}, buffers,
                    {to_bytes(image), to_bytes(rows), to_bytes(columns), to_bytes(before)});
}

// What conv2d gives for the product of both filters.
TEST(SeparableReference, HasFiltersOfTwoLengthsAnchorsAndGapsBetweenRows) {
  const std::vector<float> rows = {1, 10, 100};
  const std::vector<float> columns = {2, -3};
  const std::vector<float> product = {2, 20, 200, -3, -30, -300};
  for (const char* boundary : {"zero", "replicate", "reflect", "mirror", "wrap"})
    for (const char* flip : {"no", "yes"}) {
      Settings settings = {
          {"filter_width", 3}, {"filter_height", 2}, {"boundary", boundary}, {"flip", flip}};
      EXPECT_EQ(filtered_apart(settings, kImage, rows, columns),
                filtered_image(settings, kImage, product));
      settings.insert({{"anchor_x", -1}, {"anchor_y", 3}});
      EXPECT_EQ(filtered_apart(settings, kImage, rows, columns),
                filtered_image(settings, kImage, product))
          << boundary << flip;
    }
}

TEST(SeparableReference, ChannelsHaveTheirOwnFiltersIfAsked) {
  std::vector<float> images = kImage;  // 2 channels of 2 images
  for (int plane = 1; plane < 4; ++plane) images.insert(images.end(), kImage.begin(), kImage.end());
  Settings settings = {{"filter_width", 1}, {"filter_height", 1}, {"channels", 2}, {"batch", 2}};
  EXPECT_EQ(filtered_apart(settings, images, {3}, {2}).at(24), 6);
  settings["filters"] = "per_channel";
  const std::vector<double> own = filtered_apart(settings, images, {3, 5}, {2, 7});
  EXPECT_EQ((std::vector<double>{own.at(0), own.at(8), own.at(16), own.at(24)}),
            (std::vector<double>{6, 35, 6, 35}));
}

TEST(SeparableReference, RefusesRowsThatOverlapAndAMissingLength) {
  EXPECT_THROW(filtered_apart({{"filter_width", 1}, {"filter_height", 1}, {"pitch", 2}},
                              {1, 2, 3, 4}, {1}, {1}),
               InputError);
  EXPECT_THROW(filtered_apart({{"filter_width", 1}}, kImage, {1}, {1}), InputError);
}

TEST(SeparableReference, AgreesWithSciPy) {
  const std::vector<PlannedBuffer> buffers = {make_buffer("image", 12), make_buffer("rows", 4),
                                              make_buffer("columns", 4)};
  const ArgumentData data = {to_bytes<float>({0, 1, 4, 2, 2, 4, 1, 0, 1, 4, 2, 2}),
                             to_bytes<float>({1, 2, 3, 4}), to_bytes<float>({5, -6, 7, 1})};
  const auto result = [&](const std::string& boundary) {
    const Problem problem{"separable2d",
                          {{"height", 3}, {"width", 4}, {"taps", 4}, {"boundary", boundary}}};
    return outputs_of("conv2d_separable", problem, buffers, data);
  };
  EXPECT_EQ(result("zero"),
            (std::vector<double>{50, 153, 167, 111, 149, 48, -18, -34, 21, 129, 193, 137}));
  EXPECT_EQ(result("mirror"),
            (std::vector<double>{60, 150, 204, 277, 341, 194, 47, -44, 98, 162, 206, 259}));
  EXPECT_EQ(result("wrap"),
            (std::vector<double>{72, 123, 94, 81, 239, 158, 97, 116, 109, 174, 215, 132}));
}

}  // namespace
}  // namespace tilewright
