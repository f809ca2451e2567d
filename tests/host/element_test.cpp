// The conversions that kernels use where there is no instruction for them (common/element.cuh), and
// those of the host device's __half and its like, held against those of the library.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include "tilewright/narrow_float.hpp"

namespace {

#define __device__
#define __forceinline__ inline
#define TILEWRIGHT_HOST
inline float __uint_as_float(unsigned bits) {
  return std::bit_cast<float>(bits);
}
inline unsigned __float_as_uint(float value) {
  return std::bit_cast<unsigned>(value);
}
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wempty-body"  // ON_GPU() is nothing here
#include "kernel_templates/common/element.cuh"
#pragma GCC diagnostic pop
#undef __device__
#undef __forceinline__
#undef TILEWRIGHT_HOST

// What the header needs of the host device's other one.
namespace shim {
struct float2 {
  float x, y;
};
#define TILEWRIGHT_FUNCTION(head, ...) \
  static inline head {                 \
    return __VA_ARGS__;                \
  }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include "tuner/host/compile/tilewright_narrow.h"
#pragma GCC diagnostic pop
}  // namespace shim

namespace library = tilewright;

// Its nearest value; with 8 bits the greatest one in place of what is beyond it.
template <class Known>
Known nearest_known(double value) {
  const Known known(value);
  const auto found = static_cast<double>(known);
  if (sizeof(Known) > 1 || std::isnan(value) || std::isfinite(found)) return known;
  return Known(std::copysign(static_cast<double>(Known::greatest()), value));
}

template <class T, class Known, class From>
void expect_rounded(From value) {
  const auto found = to<T>(value);
  const auto right = nearest_known<Known>(static_cast<double>(value));
  if (std::isnan(static_cast<double>(right)))
    EXPECT_TRUE(std::isnan(widened(found))) << value;
  else
    EXPECT_EQ(found.bits, right.bits()) << value;
}

// Every value, every middle between neighbours, and what is just below and above both, of the type
// that is converted from.
template <class T, class Known, class From>
void expect_all_rounded() {
  constexpr From kInfinity = std::numeric_limits<From>::infinity();
  using Bits = decltype(Known().bits());
  for (unsigned bits = 0; bits < 1U << 8 * sizeof(Bits); ++bits) {
    const Known known = Known::from_bits(static_cast<Bits>(bits));
    const auto value = static_cast<From>(static_cast<double>(known));
    const T stored = {static_cast<Bits>(bits)};
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(widened(stored))) << bits;
      continue;
    }
    EXPECT_EQ(static_cast<double>(widened(stored)), static_cast<double>(value)) << bits;
    const auto next = nextafter(known, Known(value < 0 ? -kInfinity : kInfinity));
    const auto after = static_cast<From>(static_cast<double>(next));
    const From middle = value / 2 + (std::isnan(after) ? value * 1.125F : after) / 2;
    for (const From one : {value, middle, 2 * value})
      for (const From near : {one, std::nextafter(one, kInfinity), std::nextafter(one, -kInfinity)})
        expect_rounded<T, Known>(near);
  }
}

TEST(Elements, OfSixteenBitsAreRoundedFromFloatAsTheLibraryDoes) {
  expect_all_rounded<Half, library::Float16, float>();
  expect_all_rounded<BFloat16, library::BFloat16, float>();
}

TEST(Elements, OfSixteenBitsAreRoundedFromDoubleOnce) {
  expect_all_rounded<Half, library::Float16, double>();
  expect_all_rounded<BFloat16, library::BFloat16, double>();
}

TEST(Elements, OfEightBitsAreRoundedOnceAndKeptInRange) {
  expect_all_rounded<Float8E4M3, library::Float8E4M3, float>();
  expect_all_rounded<Float8E4M3, library::Float8E4M3, double>();
  expect_all_rounded<Float8E5M2, library::Float8E5M2, float>();
  expect_all_rounded<Float8E5M2, library::Float8E5M2, double>();
}

TEST(Elements, IntegersAreNearestAndKeptInRange) {
  for (const double value : {0.0, 0.5, 1.5, -0.5, -2.5, 126.5, 127.0, 127.5, 128.0, 1e9, -128.5,
                             -129.0, -1e30, 3.25, -3.75}) {
    const double right = std::clamp(std::nearbyint(value), -128.0, 127.0);
    EXPECT_EQ(to<signed char>(value), right) << value;
    EXPECT_EQ(to<signed char>(static_cast<float>(value)), right) << value;
    EXPECT_EQ(to<signed char>(static_cast<int>(std::clamp(value, -1e6, 1e6))),
              std::clamp(std::trunc(value), -128.0, 127.0))
        << value;
  }
  EXPECT_EQ(to<int>(2147483646.5), 2147483646);
  EXPECT_EQ(to<int>(1e10), 2147483647);
  EXPECT_EQ(to<int>(-1e10), std::numeric_limits<int>::lowest());
  EXPECT_EQ(to<int>(3e9F), 2147483647);
  EXPECT_EQ(to<float>(static_cast<signed char>(-7)), -7.0F);
  EXPECT_EQ(to<double>(2147483647), 2147483647.0);
}

// What a kernel writes is what CUDA's own types would be, as the host device has them.
template <class T, class Shim>
void expect_shim_agrees() {
  std::mt19937_64 random(2);
  for (int i = 0; i < 300000; ++i) {
    const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (!std::isnan(value)) {
      EXPECT_EQ(to<T>(value).bits, Shim(value).__x) << value;
    }
    const auto near = static_cast<double>(std::ldexp(value, -std::ilogb(value)));
    if (std::isfinite(near)) {
      EXPECT_EQ(to<T>(near * 300).bits, Shim(near * 300).__x) << near;
    }
  }
}

TEST(Elements, OfEightBitsAreThoseOfTheHostDevice) {
  expect_shim_agrees<Float8E4M3, shim::__nv_fp8_e4m3>();
  expect_shim_agrees<Float8E5M2, shim::__nv_fp8_e5m2>();
}

TEST(Elements, RandomBitsRoundAsTheLibraryDoes) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 300000; ++i) {
    const std::uint64_t bits = random();
    const auto narrow = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    const auto wide = std::bit_cast<double>(bits);
    expect_rounded<Half, library::Float16>(narrow);
    expect_rounded<BFloat16, library::BFloat16>(narrow);
    expect_rounded<Half, library::Float16>(wide);
    expect_rounded<BFloat16, library::BFloat16>(wide);
    expect_rounded<Float8E4M3, library::Float8E4M3>(narrow);
    expect_rounded<Float8E5M2, library::Float8E5M2>(narrow);
    expect_rounded<Float8E4M3, library::Float8E4M3>(wide);
    expect_rounded<Float8E5M2, library::Float8E5M2>(wide);
  }
}

// Every value, every middle between neighbours, and the doubles just below and above both.
template <class Narrow, class Known>
void expect_shim_rounds(unsigned patterns) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  using Bits = decltype(Known().bits());
  for (unsigned bits = 0; bits < patterns; ++bits) {
    const Known known = Known::from_bits(static_cast<Bits>(bits));
    const auto value = static_cast<double>(known);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(Narrow::value(bits))) << bits;
      continue;
    }
    EXPECT_EQ(Narrow::value(bits), value) << bits;
    const auto next = static_cast<double>(nextafter(known, Known(value < 0 ? -1e300 : 1e300)));
    const double middle = value / 2 + (std::isnan(next) ? value : next) / 2;
    for (const double one : {value, middle, 2 * value})
      for (const double near :
           {one, std::nextafter(one, kInfinity), std::nextafter(one, -kInfinity)}) {
        const Known right(near);
        if (std::isnan(static_cast<double>(right)))
          EXPECT_TRUE(std::isnan(Narrow::value(Narrow::of(near)))) << near;
        else
          EXPECT_EQ(Narrow::of(near), right.bits()) << near;
      }
  }
}

TEST(HostNarrow, RoundsAsTheLibraryDoes) {
  expect_shim_rounds<shim::TilewrightNarrow<5, 10, true>, library::Float16>(0x10000);
  expect_shim_rounds<shim::TilewrightNarrow<8, 7, true>, library::BFloat16>(0x10000);
  expect_shim_rounds<shim::TilewrightNarrow<4, 3, false>, library::Float8E4M3>(0x100);
  expect_shim_rounds<shim::TilewrightNarrow<5, 2, true>, library::Float8E5M2>(0x100);
}

TEST(HostNarrow, ComputesInFloatAndRoundsOnce) {
  using shim::__half;
  const __half one = 1.0f;
  const __half small = 0x1p-11f;  // half a step above 1
  EXPECT_EQ(static_cast<float>(one + small), 1.0f);
  EXPECT_EQ(static_cast<float>(one + small + __half(0x1p-10f)), 1.0f + 0x1p-10f);
  EXPECT_EQ(static_cast<float>(shim::__hfma(__half(3.0f), __half(0.5f), one)), 2.5f);
  EXPECT_EQ(static_cast<float>(__half(65504.0f) * __half(2.0f)), INFINITY);
  EXPECT_EQ(static_cast<float>(shim::__nv_fp8_e4m3(1000.0f)), 448.0f);
  EXPECT_EQ(static_cast<float>(shim::__nv_fp8_e5m2(-1e9)), -57344.0f);
}

TEST(Elements, BeyondFloatAreInfinityAndNotANumberStaysSo) {
  for (const double value : {1e300, -1e300, 3.5e38, std::numeric_limits<double>::infinity(),
                             std::numeric_limits<double>::quiet_NaN(), 5e-324, -5e-324, -0.0}) {
    expect_rounded<Half, library::Float16>(value);
    expect_rounded<BFloat16, library::BFloat16>(value);
    expect_rounded<Float8E4M3, library::Float8E4M3>(value);
    expect_rounded<Float8E5M2, library::Float8E5M2>(value);
  }
}

}  // namespace
