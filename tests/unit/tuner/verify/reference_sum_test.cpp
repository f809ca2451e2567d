#include <gtest/gtest.h>

#include "tests/unit/tuner/verify/samples.hpp"
#include "tuner/verify/reference.hpp"

namespace tilewright {
namespace {

double sum_of(const PlannedBuffer& buffer, const std::vector<std::uint8_t>& bytes) {
  const ArgumentData data = {bytes};
  return make_reference("sum", Problem{"sum", {}}, {buffer}, data)->at(1, 0);
}

TEST(SumReference, AddsAllElements) {
  std::vector<float> numbers(10000);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i);
  EXPECT_EQ(sum_of(make_buffer("x", 10000), to_bytes(numbers)), 49995000.0);
  EXPECT_EQ(sum_of(make_buffer("x", 1), to_bytes<float>({-2.5F})), -2.5);
}

TEST(SumReference, ReadsEveryElementType) {
  EXPECT_EQ(sum_of(make_buffer("x", 2, ElementType::uint8), {200, 100}), 300.0);
  EXPECT_EQ(
      sum_of(make_buffer("x", 2, ElementType::int64), to_bytes<std::int64_t>({1LL << 40, -1})),
      0x1p40 - 1);
}

}  // namespace
}  // namespace tilewright
