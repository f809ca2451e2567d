#include "tuner/verify/reference.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/tuner/verify/samples.hpp"
#include "tilewright/error.hpp"

namespace tilewright {
namespace {

std::string error_of(const std::string& name, const Problem& problem,
                     const std::vector<PlannedBuffer>& buffers) {
  const ArgumentData data(buffers.size(), std::vector<std::uint8_t>(64));
  try {
    make_reference(name, problem, buffers, data);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Reference, NamesAllBuiltIns) {
  const std::vector<std::string> names = reference_names();
  EXPECT_TRUE(std::ranges::is_sorted(names));
  for (const char* name :
       {"conv1d", "conv2d", "conv2d_separable", "conv3d", "conv_layer", "gemm", "stencil3d", "sum"})
    EXPECT_TRUE(std::ranges::binary_search(names, name)) << name;
}

TEST(Reference, RefusesAnUnknownName) {
  const std::string error = error_of("gem", Problem{"op", {}}, {});
  EXPECT_NE(error.find("'gem'"), std::string::npos);
  for (const std::string& name : reference_names())
    EXPECT_NE(error.find(name), std::string::npos) << name;
}

TEST(Reference, SaysWhatAnOperationLacks) {
  const Problem no_k{"product", {{"M", 1}, {"N", 1}}};
  EXPECT_NE(error_of("gemm", no_k, {}).find("'K'"), std::string::npos);

  const Problem problem{"product", {{"M", 2}, {"N", 2}, {"K", 2}}};
  EXPECT_NE(error_of("gemm", problem, {make_buffer("a", 4)}).find("at least 2 inputs"),
            std::string::npos);
  EXPECT_NE(error_of("gemm", problem, {make_buffer("a", 4), make_buffer("b", 5)}).find("'b'"),
            std::string::npos);
  EXPECT_EQ(error_of("gemm", problem, {make_buffer("a", 4), make_buffer("b", 4)}), "");
}

TEST(Reference, RefusesTooLittleData) {
  const Problem problem{"total", {}};
  EXPECT_NE(error_of("sum", problem, {make_buffer("x", 17)}).find("64 bytes"), std::string::npos);
}

TEST(Reference, TakesInputsInOrderWhereverOutputsAndScalarsStand) {
  const Problem problem{"product", {{"M", 1}, {"N", 1}, {"K", 1}}};
  PlannedBuffer scalar = make_buffer("step", 1);
  scalar.kind = ArgumentKind::scalar;
  const std::vector<PlannedBuffer> buffers = {
      make_buffer("c", 1, ElementType::float32, ArgumentRole::output), make_buffer("a", 1), scalar,
      make_buffer("b", 1, ElementType::int32)};
  const ArgumentData data = {to_bytes<float>({0}), to_bytes<float>({1.5F}), to_bytes<float>({99}),
                             to_bytes<std::int32_t>({-4})};
  EXPECT_EQ(make_reference("gemm", problem, buffers, data)->at(0, 0), -6.0);
}

}  // namespace
}  // namespace tilewright
