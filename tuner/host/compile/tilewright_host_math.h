// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// CUDA's arithmetic for kernels on the host device: functions of the C library by the names that
// kernels call, and bit operations. A part of tilewright_host.h, which says why no standard header
// is included.

extern "C" {
#define TILEWRIGHT_MATHS(name)   \
  float name##f(float) noexcept; \
  double name(double) noexcept;
TILEWRIGHT_MATHS(sqrt)
TILEWRIGHT_MATHS(cbrt)
TILEWRIGHT_MATHS(exp)
TILEWRIGHT_MATHS(exp2)
TILEWRIGHT_MATHS(expm1)
TILEWRIGHT_MATHS(log)
TILEWRIGHT_MATHS(log2)
TILEWRIGHT_MATHS(log10)
TILEWRIGHT_MATHS(log1p)
TILEWRIGHT_MATHS(sin)
TILEWRIGHT_MATHS(cos)
TILEWRIGHT_MATHS(tan)
TILEWRIGHT_MATHS(asin)
TILEWRIGHT_MATHS(acos)
TILEWRIGHT_MATHS(atan)
TILEWRIGHT_MATHS(sinh)
TILEWRIGHT_MATHS(cosh)
TILEWRIGHT_MATHS(tanh)
TILEWRIGHT_MATHS(erf)
TILEWRIGHT_MATHS(fabs)
TILEWRIGHT_MATHS(floor)
TILEWRIGHT_MATHS(ceil)
TILEWRIGHT_MATHS(round)
TILEWRIGHT_MATHS(rint)
TILEWRIGHT_MATHS(trunc)
#undef TILEWRIGHT_MATHS
#define TILEWRIGHT_MATHS(name)          \
  float name##f(float, float) noexcept; \
  double name(double, double) noexcept;
TILEWRIGHT_MATHS(pow)
TILEWRIGHT_MATHS(fmod)
TILEWRIGHT_MATHS(fmin)
TILEWRIGHT_MATHS(fmax)
TILEWRIGHT_MATHS(atan2)
TILEWRIGHT_MATHS(hypot)
#undef TILEWRIGHT_MATHS
float fmaf(float, float, float) noexcept;
double fma(double, double, double) noexcept;
int abs(int) noexcept;
}

#define TILEWRIGHT_OVERLOAD(name)     \
  static inline float name(float x) { \
    return name##f(x);                \
  }
TILEWRIGHT_OVERLOAD(sqrt)
TILEWRIGHT_OVERLOAD(exp)
TILEWRIGHT_OVERLOAD(exp2)
TILEWRIGHT_OVERLOAD(log)
TILEWRIGHT_OVERLOAD(log2)
TILEWRIGHT_OVERLOAD(sin)
TILEWRIGHT_OVERLOAD(cos)
TILEWRIGHT_OVERLOAD(tan)
TILEWRIGHT_OVERLOAD(tanh)
TILEWRIGHT_OVERLOAD(fabs)
TILEWRIGHT_OVERLOAD(floor)
TILEWRIGHT_OVERLOAD(ceil)
TILEWRIGHT_OVERLOAD(round)
TILEWRIGHT_OVERLOAD(trunc)
#undef TILEWRIGHT_OVERLOAD
static inline float abs(float x) {
  return fabsf(x);
}
static inline double abs(double x) {
  return fabs(x);
}
static inline float pow(float x, float y) {
  return powf(x, y);
}
static inline float fma(float x, float y, float z) {
  return fmaf(x, y, z);
}

static inline float rsqrtf(float x) {
  return 1.0f / sqrtf(x);
}
static inline double rsqrt(double x) {
  return 1.0 / sqrt(x);
}
static inline float __expf(float x) {
  return expf(x);
}
static inline float __logf(float x) {
  return logf(x);
}
static inline float __log2f(float x) {
  return log2f(x);
}
static inline float __sinf(float x) {
  return sinf(x);
}
static inline float __cosf(float x) {
  return cosf(x);
}
static inline float __powf(float x, float y) {
  return powf(x, y);
}
static inline float __fdividef(float x, float y) {
  return x / y;
}
static inline float __frcp_rn(float x) {
  return 1.0f / x;
}
static inline float __fsqrt_rn(float x) {
  return sqrtf(x);
}
static inline float __fadd_rn(float x, float y) {
  return x + y;
}
static inline float __fsub_rn(float x, float y) {
  return x - y;
}
static inline float __fmul_rn(float x, float y) {
  return x * y;
}
static inline float __fmaf_rn(float x, float y, float z) {
  return fmaf(x, y, z);
}
static inline float __saturatef(float x) {
  return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f;
}
static inline int __float_as_int(float x) {
  return __builtin_bit_cast(int, x);
}
static inline unsigned __float_as_uint(float x) {
  return __builtin_bit_cast(unsigned, x);
}
static inline float __int_as_float(int x) {
  return __builtin_bit_cast(float, x);
}
static inline float __uint_as_float(unsigned x) {
  return __builtin_bit_cast(float, x);
}
static inline int __float2int_rn(float x) {
  return static_cast<int>(rintf(x));
}
static inline int __float2int_rz(float x) {
  return static_cast<int>(x);
}
static inline float __int2float_rn(int x) {
  return static_cast<float>(x);
}
static inline int __mul24(int x, int y) {
  return x * y;
}
static inline unsigned __umulhi(unsigned x, unsigned y) {
  return static_cast<unsigned>(static_cast<unsigned long long>(x) * y >> 32);
}
static inline int __popc(unsigned x) {
  return __builtin_popcount(x);
}
static inline int __popcll(unsigned long long x) {
  return __builtin_popcountll(x);
}
static inline int __clz(int x) {
  return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x));
}
// Byte i of the result is that of x (0 to 3) or y (4 to 7) which digit i of the selector names, or
// its sign eight times if the digit is 8 more.
static inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  const unsigned long long both = static_cast<unsigned long long>(y) << 32 | x;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned digit = selector >> 4 * i & 15;
    const unsigned byte = static_cast<unsigned>(both >> 8 * (digit & 7)) & 255;
    result |= (digit < 8 ? byte : byte >> 7 != 0 ? 255U : 0U) << 8 * i;
  }
  return result;
}
static inline int __ffs(int x) {
  return __builtin_ffs(x);
}

#define TILEWRIGHT_EXTREMA(type)           \
  static inline type min(type a, type b) { \
    return b < a ? b : a;                  \
  }                                        \
  static inline type max(type a, type b) { \
    return a < b ? b : a;                  \
  }
TILEWRIGHT_EXTREMA(int)
TILEWRIGHT_EXTREMA(unsigned)
TILEWRIGHT_EXTREMA(long)
TILEWRIGHT_EXTREMA(unsigned long)
TILEWRIGHT_EXTREMA(long long)
TILEWRIGHT_EXTREMA(unsigned long long)
#undef TILEWRIGHT_EXTREMA
static inline unsigned min(int a, unsigned b) {
  return min(static_cast<unsigned>(a), b);
}
static inline unsigned min(unsigned a, int b) {
  return min(a, static_cast<unsigned>(b));
}
static inline unsigned max(int a, unsigned b) {
  return max(static_cast<unsigned>(a), b);
}
static inline unsigned max(unsigned a, int b) {
  return max(a, static_cast<unsigned>(b));
}
// As on the GPU, the result is the number if the other operand is a NaN.
static inline float min(float a, float b) {
  return fminf(a, b);
}
static inline float max(float a, float b) {
  return fmaxf(a, b);
}
static inline double min(double a, double b) {
  return fmin(a, b);
}
static inline double max(double a, double b) {
  return fmax(a, b);
}
