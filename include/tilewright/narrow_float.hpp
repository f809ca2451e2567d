// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

// C++17 and the standard library only, because reproducers hold the text of this file.

namespace tilewright {

// A floating-point number of 8 or 16 bits as memory holds it: a sign, kExponent bits of exponent
// with the bias 2^(kExponent - 1) - 1, and kMantissa bits of mantissa. It is not for arithmetic.
// The greatest exponent is for infinity and NaN, as in IEEE 754. Without infinity, only the
// greatest mantissa with it is NaN, and all else are numbers.
template <class Bits, int kExponent, int kMantissa, bool kHasInfinity>
class NarrowFloat {
  static_assert(8 * sizeof(Bits) == 1 + kExponent + kMantissa, "the parts fill the bits");

 public:
  NarrowFloat() = default;

  // The nearest value, of two that are equally near the one whose last bit is 0. What lies half a
  // step or more beyond the greatest value is infinity, or NaN where there is none.
  explicit NarrowFloat(double value)
      : bits_(static_cast<Bits>((std::signbit(value) ? kSign : 0) | magnitude(std::fabs(value)))) {}

  explicit operator double() const {
    const unsigned size = bits_ & (kSign - 1U);
    double value = size == kInfinity && kHasInfinity ? INFINITY : NAN;
    if (size <=
        kGreatest) {  // read with a double's bias, and multiplied by what that makes smaller
      const std::uint64_t wide = std::uint64_t{size} << (52 - kMantissa);
      std::memcpy(&value, &wide, sizeof value);
      value *= std::ldexp(1.0, 1024 - (1 << (kExponent - 1)));
    }
    return (bits_ & kSign) != 0 ? -value : value;
  }

  static NarrowFloat from_bits(Bits bits) {
    NarrowFloat value;
    value.bits_ = bits;
    return value;
  }
  Bits bits() const { return bits_; }

  static NarrowFloat greatest() { return from_bits(static_cast<Bits>(kGreatest)); }  // finite

  // By value, as for float: NaN differs from itself, and the two zeros are equal.
  friend bool operator==(NarrowFloat a, NarrowFloat b) {
    return static_cast<double>(a) == static_cast<double>(b);
  }
  friend bool operator!=(NarrowFloat a, NarrowFloat b) { return !(a == b); }

  // The next value towards `to`, as std::nextafter has it.
  friend NarrowFloat nextafter(NarrowFloat from, NarrowFloat to) {
    const double a = static_cast<double>(from);
    const double b = static_cast<double>(to);
    if (!(a < b) && !(a > b)) return to;
    if (a == 0) return from_bits(static_cast<Bits>((b < 0 ? kSign : 0) | 1U));
    const bool is_outwards = (a < b) == (a > 0);
    return from_bits(static_cast<Bits>(is_outwards ? from.bits_ + 1 : from.bits_ - 1));
  }

 private:
  static constexpr unsigned kSign = 1U << (kExponent + kMantissa);
  static constexpr unsigned kOne = 1U << kMantissa;  // the mantissa's bit that is not stored
  static constexpr unsigned kInfinity = ((1U << kExponent) - 1) << kMantissa;
  static constexpr unsigned kGreatest = kHasInfinity ? kInfinity - 1 : kSign - 2;
  static constexpr unsigned kNan = kHasInfinity ? kInfinity | (kOne >> 1) : kSign - 1;
  static constexpr unsigned kBeyond = kHasInfinity ? kInfinity : kNan;
  static constexpr int kLeast = 2 - (1 << (kExponent - 1)) - kMantissa;  // of the least value

  static unsigned magnitude(double value) {
    if (std::isnan(value)) return kNan;
    if (std::isinf(value)) return kBeyond;
    if (value == 0) return 0;
    int exponent = 0;
    std::frexp(value, &exponent);  // value < 2^exponent
    const int step = exponent - 1 - kMantissa < kLeast ? kLeast : exponent - 1 - kMantissa;
    if (step - kLeast > (1 << kExponent)) return kBeyond;
    const double steps = std::ldexp(value, -step);  // exact, and below 2 * kOne
    const double whole = std::floor(steps);
    const double rest = steps - whole;
    unsigned count = static_cast<unsigned>(whole);
    if (rest > 0.5 || (rest == 0.5 && count % 2 == 1)) ++count;
    const unsigned size = (static_cast<unsigned>(step - kLeast) << kMantissa) + count;
    return size > kGreatest ? kBeyond : size;
  }

  Bits bits_ = 0;
};

using Float16 = NarrowFloat<std::uint16_t, 5, 10, true>;
using BFloat16 = NarrowFloat<std::uint16_t, 8, 7, true>;
// The 8-bit formats of the Open Compute Project's OFP8 specification, 2023.
using Float8E4M3 = NarrowFloat<std::uint8_t, 4, 3, false>;
using Float8E5M2 = NarrowFloat<std::uint8_t, 5, 2, true>;

}  // namespace tilewright
