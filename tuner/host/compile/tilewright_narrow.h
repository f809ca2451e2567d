// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// What the host device gives a kernel in place of <cuda_fp16.h>, <cuda_bf16.h> and <cuda_fp8.h>.
// Each operation computes in float or double and rounds once, but for a __hfma of bfloat16 whose
// sum has more than a double's bits. docs/manifest-source.md lists what is here.

// The bits of the nearest number of kExponent and kMantissa bits, of two that are equally near the
// even one. Beyond the greatest: infinity, or NaN where there is none.
template <int kExponent, int kMantissa, bool kHasInfinity>
struct TilewrightNarrow {
  static constexpr unsigned kSign = 1u << (kExponent + kMantissa);
  static constexpr unsigned kInfinity = ((1u << kExponent) - 1) << kMantissa;
  static constexpr unsigned kGreatest = kHasInfinity ? kInfinity - 1 : kSign - 2;
  static constexpr unsigned kNan = kHasInfinity ? kInfinity | 1u << (kMantissa - 1) : kSign - 1;
  static constexpr int kBias = (1 << (kExponent - 1)) - 1;

  static unsigned size_of(unsigned long long size) {  // of a double without its sign
    constexpr unsigned long long kOne = 1ull << 52;
    if (size > 0x7ffull << 52) return kNan;
    const int exponent = static_cast<int>(size >> 52) - 1023;
    const bool is_normal = exponent >= 1 - kBias;
    const int shift = 52 - kMantissa + (is_normal ? 0 : 1 - kBias - exponent);
    if (shift > 54) return 0;
    const unsigned long long digits = (size & (kOne - 1)) | kOne;
    const unsigned long long half = 1ull << (shift - 1);
    const unsigned long long rest = digits & (2 * half - 1);
    unsigned long long bits = digits >> shift;
    if (rest > half || (rest == half && bits % 2 == 1)) ++bits;
    if (is_normal) bits += static_cast<unsigned long long>(exponent + kBias - 1) << kMantissa;
    if (bits <= kGreatest) return static_cast<unsigned>(bits);
    return kHasInfinity ? kInfinity : kNan;
  }
  static unsigned of(double value) {
    const auto bits = __builtin_bit_cast(unsigned long long, value);
    return (bits >> 63 != 0 ? kSign : 0) | size_of(bits & ~0ull >> 1);
  }
  // The same with the greatest number in place of what is beyond it.
  static unsigned saturated(double value) {
    const unsigned bits = of(value);
    if (value != value || (bits & (kSign - 1)) <= kGreatest) return bits;
    return (bits & kSign) | kGreatest;
  }
  static double value(unsigned bits) {
    const unsigned size = bits & (kSign - 1);
    const unsigned long long sign = (bits & kSign) != 0 ? 1ull << 63 : 0;
    if (size > kGreatest && !(kHasInfinity && size == kInfinity))
      return __builtin_bit_cast(double, sign | 0x7ff8ull << 48);
    unsigned long long wide = 0x7ffull << 52;
    if (size <= kGreatest && size >> kMantissa != 0)
      wide = (static_cast<unsigned long long>(size) << (52 - kMantissa)) +
             (static_cast<unsigned long long>(1023 - kBias) << 52);
    else if (size <= kGreatest)
      wide = __builtin_bit_cast(
          unsigned long long,
          size* __builtin_bit_cast(double, static_cast<unsigned long long>(1024 - kBias - kMantissa)
                                               << 52));
    return __builtin_bit_cast(double, sign | wide);
  }
};

// A number of 16 bits, its pairs and its functions, by CUDA's names for them.
#define TILEWRIGHT_NARROW(type, pair, kExponent, kMantissa, from, to, floats, pair_floats)       \
  struct alignas(2) type {                                                                       \
    unsigned short bits;                                                                         \
    type() = default;                                                                            \
    type(double value)                                                                           \
        : bits(static_cast<unsigned short>(                                                      \
              TilewrightNarrow<kExponent, kMantissa, true>::of(value))) {}                       \
    type(float value) : type(static_cast<double>(value)) {}                                      \
    type(int value) : type(static_cast<double>(value)) {}                                        \
    type(unsigned value) : type(static_cast<double>(value)) {}                                   \
    operator float() const {                                                                     \
      return static_cast<float>(TilewrightNarrow<kExponent, kMantissa, true>::value(bits));      \
    }                                                                                            \
  };                                                                                             \
  TILEWRIGHT_FUNCTION(float to(type a), a)                                                       \
  TILEWRIGHT_FUNCTION(type from(float a), a)                                                     \
  TILEWRIGHT_FUNCTION(type from##_rn(float a), a)                                                \
  TILEWRIGHT_FUNCTION(type operator+(type a, type b), float(a) + float(b))                       \
  TILEWRIGHT_FUNCTION(type operator-(type a, type b), float(a) - float(b))                       \
  TILEWRIGHT_FUNCTION(type operator*(type a, type b), float(a) * float(b))                       \
  TILEWRIGHT_FUNCTION(type operator/(type a, type b), double(a) / double(b))                     \
  TILEWRIGHT_FUNCTION(type operator-(type a), -float(a))                                         \
  TILEWRIGHT_FUNCTION(type& operator+=(type& a, type b), a = a + b)                              \
  TILEWRIGHT_FUNCTION(type& operator-=(type& a, type b), a = a - b)                              \
  TILEWRIGHT_FUNCTION(type& operator*=(type& a, type b), a = a * b)                              \
  TILEWRIGHT_FUNCTION(type& operator/=(type& a, type b), a = a / b)                              \
  TILEWRIGHT_FUNCTION(bool operator==(type a, type b), float(a) == float(b))                     \
  TILEWRIGHT_FUNCTION(bool operator!=(type a, type b), float(a) != float(b))                     \
  TILEWRIGHT_FUNCTION(bool operator<(type a, type b), float(a) < float(b))                       \
  TILEWRIGHT_FUNCTION(bool operator>(type a, type b), float(a) > float(b))                       \
  TILEWRIGHT_FUNCTION(bool operator<=(type a, type b), float(a) <= float(b))                     \
  TILEWRIGHT_FUNCTION(bool operator>=(type a, type b), float(a) >= float(b))                     \
  TILEWRIGHT_FUNCTION(type __hadd(type a, type b), a + b)                                        \
  TILEWRIGHT_FUNCTION(type __hsub(type a, type b), a - b)                                        \
  TILEWRIGHT_FUNCTION(type __hmul(type a, type b), (a * b))                                      \
  TILEWRIGHT_FUNCTION(type __hdiv(type a, type b), a / b)                                        \
  TILEWRIGHT_FUNCTION(type __hfma(type a, type b, type c), fma(double(a), double(b), double(c))) \
  TILEWRIGHT_FUNCTION(type __hneg(type a), -a)                                                   \
  TILEWRIGHT_FUNCTION(type __habs(type a), fabsf(a))                                             \
  TILEWRIGHT_FUNCTION(type __hmax(type a, type b), fmaxf(a, b))                                  \
  TILEWRIGHT_FUNCTION(type __hmin(type a, type b), fminf(a, b))                                  \
  TILEWRIGHT_FUNCTION(bool __heq(type a, type b), a == b)                                        \
  TILEWRIGHT_FUNCTION(bool __hne(type a, type b), a != b)                                        \
  TILEWRIGHT_FUNCTION(bool __hlt(type a, type b), a < b)                                         \
  TILEWRIGHT_FUNCTION(bool __hle(type a, type b), a <= b)                                        \
  TILEWRIGHT_FUNCTION(bool __hgt(type a, type b), a > b)                                         \
  TILEWRIGHT_FUNCTION(bool __hge(type a, type b), a >= b)                                        \
  struct alignas(4) pair {                                                                       \
    type x, y;                                                                                   \
  };                                                                                             \
  TILEWRIGHT_FUNCTION(pair floats(float a, float b), {a, b})                                     \
  TILEWRIGHT_FUNCTION(float2 pair_floats(pair a), {a.x, a.y})                                    \
  TILEWRIGHT_FUNCTION(pair __hadd2(pair a, pair b), {a.x + b.x, a.y + b.y})                      \
  TILEWRIGHT_FUNCTION(pair __hsub2(pair a, pair b), {a.x - b.x, a.y - b.y})                      \
  TILEWRIGHT_FUNCTION(pair __hmul2(pair a, pair b), {a.x * b.x, a.y * b.y})                      \
  TILEWRIGHT_FUNCTION(pair __hfma2(pair a, pair b, pair c),                                      \
                      {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)})

TILEWRIGHT_NARROW(__half, __half2, 5, 10, __float2half, __half2float, __floats2half2_rn,
                  __half22float2)
TILEWRIGHT_NARROW(__nv_bfloat16, __nv_bfloat162, 8, 7, __float2bfloat16, __bfloat162float,
                  __floats2bfloat162_rn, __bfloat1622float2)
#undef TILEWRIGHT_NARROW
using half = __half;
using half2 = __half2;
using nv_bfloat16 = __nv_bfloat16;
using nv_bfloat162 = __nv_bfloat162;

TILEWRIGHT_FUNCTION(unsigned short __half_as_ushort(__half a), a.bits)
TILEWRIGHT_FUNCTION(__half __ushort_as_half(unsigned short bits), __builtin_bit_cast(__half, bits))
TILEWRIGHT_FUNCTION(unsigned short __bfloat16_as_ushort(__nv_bfloat16 a), a.bits)
TILEWRIGHT_FUNCTION(__nv_bfloat16 __ushort_as_bfloat16(unsigned short bits),
                    __builtin_bit_cast(__nv_bfloat16, bits))
TILEWRIGHT_FUNCTION(__half __double2half(double a), a)
TILEWRIGHT_FUNCTION(__nv_bfloat16 __double2bfloat16(double a), a)
TILEWRIGHT_FUNCTION(__half2 __halves2half2(__half a, __half b), {a, b})
TILEWRIGHT_FUNCTION(__nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b), {a, b})
TILEWRIGHT_FUNCTION(__half __low2half(__half2 a), a.x)
TILEWRIGHT_FUNCTION(__half __high2half(__half2 a), a.y)

// Numbers of 8 bits only convert. What is beyond the greatest becomes the greatest, as in CUDA's
// constructors.
#define TILEWRIGHT_NARROW(type, kExponent, kMantissa, kHasInfinity)                            \
  struct type {                                                                                \
    using Narrow = TilewrightNarrow<kExponent, kMantissa, kHasInfinity>;                       \
    unsigned char __x;                                                                         \
    type() = default;                                                                          \
    explicit type(double value) : __x(static_cast<unsigned char>(Narrow::saturated(value))) {} \
    explicit type(float value) : type(static_cast<double>(value)) {}                           \
    explicit type(__half value) : type(static_cast<double>(value)) {}                          \
    explicit type(__nv_bfloat16 value) : type(static_cast<double>(value)) {}                   \
    explicit operator float() const { return static_cast<float>(Narrow::value(__x)); }         \
    explicit operator double() const { return Narrow::value(__x); }                            \
  };
TILEWRIGHT_NARROW(__nv_fp8_e4m3, 4, 3, false)
TILEWRIGHT_NARROW(__nv_fp8_e5m2, 5, 2, true)
#undef TILEWRIGHT_NARROW
