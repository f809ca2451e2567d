#include <gtest/gtest.h>

#include "tests/unit/tuner/verify/samples.hpp"
#include "tilewright/error.hpp"
#include "tuner/verify/reference.hpp"

namespace tilewright {
namespace {

// The field after the steps, of coefficients c0, x, y and z, with 7 in the output before.
std::vector<double> stepped(Settings settings, const std::vector<float>& field,
                            const std::vector<float>& coefficients) {
  const auto count = static_cast<std::int64_t>(field.size());
  const std::vector<PlannedBuffer> buffers = {
      make_buffer("field", count),
      make_buffer("coefficients", static_cast<std::int64_t>(coefficients.size())),
      make_buffer("output", count, ElementType::float32, ArgumentRole::inout)};
  const ArgumentData data = {to_bytes(field), to_bytes(coefficients),
                             to_bytes(std::vector<float>(field.size(), 7))};
  const auto reference = make_reference("stencil3d", {"stencil3d", settings}, buffers, data);
  std::vector<double> outputs;
  for (std::int64_t i = 0; i < count; ++i) outputs.push_back(reference->at(2, i));
  return outputs;
}

Settings sizes(std::int64_t width, std::int64_t height, std::int64_t depth, std::int64_t radius) {
  return {{"width", width}, {"height", height}, {"depth", depth}, {"radius", radius}};
}

TEST(StencilReference, EachAxisHasItsCoefficients) {
  const std::vector<float> point = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,
                                    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  const std::vector<double> expected = {0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 3, 0, 2, 1,
                                        2, 0, 3, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0};
  EXPECT_EQ(stepped(sizes(3, 3, 3, 1), point, {1, 2, 3, 4}), expected);
}

TEST(StencilReference, StepsFollowEachOtherAndNoneCopies) {
  Settings settings = sizes(5, 1, 1, 1);
  const std::vector<float> point = {0, 0, 1, 0, 0};
  settings["steps"] = 0;
  EXPECT_EQ(stepped(settings, point, {2, 1, 0, 0}), (std::vector<double>{0, 0, 1, 0, 0}));
  settings["steps"] = 1;
  EXPECT_EQ(stepped(settings, point, {2, 1, 0, 0}), (std::vector<double>{0, 1, 2, 1, 0}));
  settings["steps"] = 2;
  EXPECT_EQ(stepped(settings, point, {2, 1, 0, 0}), (std::vector<double>{1, 4, 6, 4, 1}));
  settings["steps"] = 3;
  EXPECT_EQ(stepped(settings, point, {2, 1, 0, 0}), (std::vector<double>{6, 15, 20, 15, 6}));
}

TEST(StencilReference, BoundariesHoldInEachStep) {
  Settings settings = sizes(3, 1, 1, 1);
  const std::vector<float> row = {1, 2, 4};
  const std::vector<float> sums = {0, 1, 0, 0};
  const auto twice = [&](const char* boundary) {
    settings["boundary"] = boundary;
    settings["steps"] = 2;
    return stepped(settings, row, sums);
  };
  EXPECT_EQ(twice("zero"), (std::vector<double>{5, 4, 5}));        // 2 5 2
  EXPECT_EQ(twice("replicate"), (std::vector<double>{8, 9, 11}));  // 3 5 6
  EXPECT_EQ(twice("reflect"), (std::vector<double>{8, 9, 11}));
  EXPECT_EQ(twice("mirror"), (std::vector<double>{10, 8, 10}));  // 4 5 4
  EXPECT_EQ(twice("wrap"), (std::vector<double>{8, 9, 11}));     // 6 5 3
  EXPECT_EQ(twice("fixed"), (std::vector<double>{1, 2, 4})) << "all are near a face";
}

// All but the middle of the cube.
TEST(StencilReference, FixedPointsKeepTheirValues) {
  Settings settings = sizes(3, 3, 3, 1);
  settings["boundary"] = "fixed";
  settings["steps"] = 3;
  std::vector<float> ones(27, 1);
  std::vector<double> expected(27, 1);
  expected[13] = 1 * 8 + 6 * (1 + 2 + 4);  // doubled three times, six neighbours added each time
  EXPECT_EQ(stepped(settings, ones, {2, 1, 1, 1}), expected);
}

TEST(StencilReference, VolumesOfABatchAndGapsStayApart) {
  Settings settings = sizes(1, 1, 2, 2);
  settings["batch"] = 2;
  settings["pitch"] = 2;
  settings["steps"] = 2;
  EXPECT_EQ(stepped(settings, {1, -1, 2, -1, 10, -1, 20, -1}, {1, 0, 0, 0, 0, 1, 5}),
            (std::vector<double>{6, 7, 6, 7, 60, 7, 60, 7}));
  settings["pitch"] = 1;
  settings["width"] = 2;
  EXPECT_THROW(stepped(settings, {1, 2, 3, 4}, {1, 0, 0, 0, 0, 1, 5}), InputError);
}

}  // namespace
}  // namespace tilewright
