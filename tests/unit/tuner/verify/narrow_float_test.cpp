#include "tilewright/narrow_float.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace tilewright {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

template <class T>
double value_of(unsigned bits) {
  return static_cast<double>(T::from_bits(static_cast<decltype(T().bits())>(bits)));
}

struct Facts {
  double greatest, least, epsilon;
};

template <class T>
constexpr Facts kFacts;
template <>
constexpr Facts kFacts<Float16> = {65504, 0x1p-24, 0x1p-10};
template <>
constexpr Facts kFacts<BFloat16> = {0x1.FEp127, 0x1p-133, 0x1p-7};
template <>
constexpr Facts kFacts<Float8E4M3> = {448, 0x1p-9, 0x1p-3};
template <>
constexpr Facts kFacts<Float8E5M2> = {57344, 0x1p-16, 0x1p-2};

template <class T>
constexpr bool kHasInfinity = true;
template <>
constexpr bool kHasInfinity<Float8E4M3> = false;

template <class T>
class NarrowFloatTest : public testing::Test {
 protected:
  // The numbers from 0 up, in the order of their bits.
  std::vector<double> numbers() const {
    std::vector<double> all;
    for (unsigned bits = 0; value_of<T>(bits) <= kFacts<T>.greatest; ++bits)
      all.push_back(value_of<T>(bits));
    return all;
  }
  static unsigned rounded(double value) { return T(value).bits(); }
  static constexpr unsigned kSign = 1U << (8 * sizeof(T) - 1);
};

using Types = testing::Types<Float16, BFloat16, Float8E4M3, Float8E5M2>;
TYPED_TEST_SUITE(NarrowFloatTest, Types);

TYPED_TEST(NarrowFloatTest, HasTheRangeOfItsFormat) {
  const std::vector<double> all = this->numbers();
  EXPECT_EQ(all[0], 0);
  EXPECT_EQ(all[1], kFacts<TypeParam>.least);
  EXPECT_EQ(all.back(), kFacts<TypeParam>.greatest);
  for (std::size_t i = 1; i < all.size(); ++i) ASSERT_LT(all[i - 1], all[i]) << i;
  const std::size_t one = this->rounded(1);
  EXPECT_EQ(all[one + 1] - 1, kFacts<TypeParam>.epsilon);
}

TYPED_TEST(NarrowFloatTest, EveryNumberStaysAsItIs) {
  const std::vector<double> all = this->numbers();
  for (unsigned bits = 0; bits < all.size(); ++bits) {
    ASSERT_EQ(this->rounded(all[bits]), bits);
    ASSERT_EQ(this->rounded(-all[bits]), bits | this->kSign);
    ASSERT_EQ(value_of<TypeParam>(bits | this->kSign), -all[bits]);
  }
}

TYPED_TEST(NarrowFloatTest, AMidpointGoesToTheEvenOneAndItsNeighboursToTheNearest) {
  const std::vector<double> all = this->numbers();
  for (unsigned bits = 0; bits + 1 < all.size(); ++bits) {
    const double middle = (all[bits] + all[bits + 1]) / 2;  // exact: one bit more
    ASSERT_EQ(this->rounded(middle), bits + bits % 2);
    ASSERT_EQ(this->rounded(std::nextafter(middle, -kInf)), bits);
    ASSERT_EQ(this->rounded(std::nextafter(middle, kInf)), bits + 1);
    ASSERT_EQ(this->rounded(-middle), (bits + bits % 2) | this->kSign);
    ASSERT_EQ(this->rounded(std::nextafter(all[bits + 1], -kInf)), bits + 1);
    ASSERT_EQ(this->rounded(std::nextafter(all[bits], kInf)), bits);
  }
}

TYPED_TEST(NarrowFloatTest, BeyondTheGreatestIsInfinityOrNan) {
  const std::vector<double> all = this->numbers();
  const auto last = static_cast<unsigned>(all.size() - 1);
  const double half_a_step = (all[last] - all[last - 1]) / 2;
  const double end = all[last] + half_a_step;
  const auto is_beyond = [](double value) {
    const auto read = static_cast<double>(TypeParam(value));
    return kHasInfinity<TypeParam> ? read == (value < 0 ? -kInf : kInf) : read != read;
  };
  EXPECT_EQ(this->rounded(std::nextafter(end, 0)), last);
  // A midpoint goes to the even neighbour: beyond, unless the greatest value is even.
  if (last % 2 == 0)
    EXPECT_EQ(this->rounded(end), last);
  else
    EXPECT_TRUE(is_beyond(end));
  for (const double value : {std::nextafter(end, kInf), 2 * end, 1e308, kInf}) {
    EXPECT_TRUE(is_beyond(value)) << value;
    EXPECT_TRUE(is_beyond(-value)) << -value;
  }
}

TYPED_TEST(NarrowFloatTest, SmallDoublesAndNanAreKept) {
  for (const double tiny : {std::numeric_limits<double>::denorm_min(), 1e-310, 1e-300}) {
    EXPECT_EQ(this->rounded(tiny), 0U);
    EXPECT_EQ(this->rounded(-tiny), this->kSign);
  }
  const TypeParam nan(kNan);
  EXPECT_NE(static_cast<double>(nan), static_cast<double>(nan));
  EXPECT_TRUE(nan != nan);
  EXPECT_TRUE(TypeParam(0.0) == TypeParam(-0.0));
  const auto poison = TypeParam::from_bits(static_cast<decltype(nan.bits())>(~0U));
  EXPECT_TRUE(poison != poison);
}

TYPED_TEST(NarrowFloatTest, NextafterGoesOneStep) {
  const std::vector<double> all = this->numbers();
  const TypeParam up(all.back());
  const TypeParam down(-all.back());
  for (unsigned bits = 0; bits + 1 < all.size(); ++bits) {
    ASSERT_EQ(nextafter(TypeParam(all[bits]), up).bits(), bits + 1);
    ASSERT_EQ(nextafter(TypeParam(all[bits + 1]), down).bits(), bits);
    ASSERT_EQ(nextafter(TypeParam(-all[bits]), down).bits(), (bits + 1) | this->kSign);
  }
  EXPECT_EQ(nextafter(up, up).bits(), up.bits());
}

}  // namespace
}  // namespace tilewright
