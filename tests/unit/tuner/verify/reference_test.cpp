#include "tuner/verify/reference.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "tests/unit/tuner/verify/samples.hpp"
#include "tilewright/error.hpp"
#include "tuner/verify/reference_builtins.hpp"

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

TEST(Reference, ReadsLargeInputsAsSmallOnes) {
  std::vector<std::uint16_t> codes(1 << 16);
  std::iota(codes.begin(), codes.end(), std::uint16_t{0});
  const std::vector<std::uint8_t> few = to_bytes(codes);
  codes.push_back(codes[1]);
  const std::vector<std::uint8_t> many = to_bytes(codes);
  for (const ElementType type : {ElementType::float16, ElementType::bfloat16, ElementType::int16,
                                 ElementType::uint8, ElementType::int8, ElementType::float8_e4m3}) {
    const auto wide = static_cast<std::int64_t>(2 / size_of(type));
    const InputValues small(make_buffer("x", 1 << 16, type), few);
    const InputValues large(make_buffer("x", wide * ((1 << 16) + 1), type), many);
    EXPECT_FALSE(large.is_float32());
    for (std::int64_t i = 0; i < 1 << 16; ++i)
      ASSERT_EQ(std::bit_cast<std::uint64_t>(small[i]), std::bit_cast<std::uint64_t>(large[i]))
          << to_text(type) << ' ' << i;
    EXPECT_EQ(std::bit_cast<std::uint64_t>(large[wide * (1 << 16)]),
              std::bit_cast<std::uint64_t>(small[wide]))
        << to_text(type);
  }
}

}  // namespace
}  // namespace tilewright
