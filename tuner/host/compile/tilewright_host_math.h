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
TILEWRIGHT_MATHS(asinh)
TILEWRIGHT_MATHS(acosh)
TILEWRIGHT_MATHS(atanh)
TILEWRIGHT_MATHS(erf)
TILEWRIGHT_MATHS(erfc)
TILEWRIGHT_MATHS(tgamma)
TILEWRIGHT_MATHS(lgamma)
TILEWRIGHT_MATHS(logb)
TILEWRIGHT_MATHS(nearbyint)
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
TILEWRIGHT_MATHS(fdim)
TILEWRIGHT_MATHS(remainder)
TILEWRIGHT_MATHS(copysign)
TILEWRIGHT_MATHS(nextafter)
#undef TILEWRIGHT_MATHS
float fmaf(float, float, float) noexcept;
double fma(double, double, double) noexcept;
#define TILEWRIGHT_ROUNDED(name)         \
  long l##name##f(float) noexcept;       \
  long l##name(double) noexcept;         \
  long long ll##name##f(float) noexcept; \
  long long ll##name(double) noexcept;
TILEWRIGHT_ROUNDED(rint)
TILEWRIGHT_ROUNDED(round)
#undef TILEWRIGHT_ROUNDED
float ldexpf(float, int) noexcept;
double ldexp(double, int) noexcept;
float scalbnf(float, int) noexcept;
double scalbn(double, int) noexcept;
float frexpf(float, int*) noexcept;
double frexp(double, int*) noexcept;
float modff(float, float*) noexcept;
double modf(double, double*) noexcept;
void sincosf(float, float*, float*) noexcept;
void sincos(double, double*, double*) noexcept;
int ilogbf(float) noexcept;
int ilogb(double) noexcept;
int abs(int) noexcept;
long labs(long) noexcept;
long long llabs(long long) noexcept;
int printf(const char*, ...);
void* memcpy(void*, const void*, size_t) noexcept;
void* memset(void*, int, size_t) noexcept;
void* malloc(size_t) noexcept;
void free(void*) noexcept;
}

#define TILEWRIGHT_OVERLOAD(name) TILEWRIGHT_FUNCTION(float name(float x), name##f(x))
TILEWRIGHT_OVERLOAD(sqrt)
TILEWRIGHT_OVERLOAD(cbrt)
TILEWRIGHT_OVERLOAD(exp)
TILEWRIGHT_OVERLOAD(exp2)
TILEWRIGHT_OVERLOAD(expm1)
TILEWRIGHT_OVERLOAD(log)
TILEWRIGHT_OVERLOAD(log2)
TILEWRIGHT_OVERLOAD(log10)
TILEWRIGHT_OVERLOAD(log1p)
TILEWRIGHT_OVERLOAD(sin)
TILEWRIGHT_OVERLOAD(cos)
TILEWRIGHT_OVERLOAD(tan)
TILEWRIGHT_OVERLOAD(asin)
TILEWRIGHT_OVERLOAD(acos)
TILEWRIGHT_OVERLOAD(atan)
TILEWRIGHT_OVERLOAD(sinh)
TILEWRIGHT_OVERLOAD(cosh)
TILEWRIGHT_OVERLOAD(tanh)
TILEWRIGHT_OVERLOAD(asinh)
TILEWRIGHT_OVERLOAD(acosh)
TILEWRIGHT_OVERLOAD(atanh)
TILEWRIGHT_OVERLOAD(erf)
TILEWRIGHT_OVERLOAD(erfc)
TILEWRIGHT_OVERLOAD(tgamma)
TILEWRIGHT_OVERLOAD(lgamma)
TILEWRIGHT_OVERLOAD(logb)
TILEWRIGHT_OVERLOAD(fabs)
TILEWRIGHT_OVERLOAD(floor)
TILEWRIGHT_OVERLOAD(ceil)
TILEWRIGHT_OVERLOAD(round)
TILEWRIGHT_OVERLOAD(rint)
TILEWRIGHT_OVERLOAD(nearbyint)
TILEWRIGHT_OVERLOAD(trunc)
#undef TILEWRIGHT_OVERLOAD
TILEWRIGHT_FUNCTION(float abs(float x), fabsf(x))
TILEWRIGHT_FUNCTION(double abs(double x), fabs(x))
TILEWRIGHT_FUNCTION(long abs(long x), labs(x))
TILEWRIGHT_FUNCTION(long long abs(long long x), llabs(x))
#define TILEWRIGHT_OVERLOAD(name) TILEWRIGHT_FUNCTION(float name(float x, float y), name##f(x, y))
TILEWRIGHT_OVERLOAD(pow)
TILEWRIGHT_OVERLOAD(fmod)
TILEWRIGHT_OVERLOAD(fmin)
TILEWRIGHT_OVERLOAD(fmax)
TILEWRIGHT_OVERLOAD(atan2)
TILEWRIGHT_OVERLOAD(hypot)
TILEWRIGHT_OVERLOAD(fdim)
TILEWRIGHT_OVERLOAD(remainder)
TILEWRIGHT_OVERLOAD(copysign)
#undef TILEWRIGHT_OVERLOAD
TILEWRIGHT_FUNCTION(float ldexp(float x, int power), ldexpf(x, power))
TILEWRIGHT_FUNCTION(float frexp(float x, int* power), frexpf(x, power))
TILEWRIGHT_FUNCTION(float modf(float x, float* whole), modff(x, whole))
TILEWRIGHT_FUNCTION(long lrint(float x), lrintf(x))
TILEWRIGHT_FUNCTION(long lround(float x), lroundf(x))
#define TILEWRIGHT_KIND(name)                                       \
  TILEWRIGHT_FUNCTION(bool name(float x), __builtin_##name(x) != 0) \
  TILEWRIGHT_FUNCTION(bool name(double x), __builtin_##name(x) != 0)
TILEWRIGHT_KIND(isnan)
TILEWRIGHT_KIND(isinf)
TILEWRIGHT_KIND(isfinite)
TILEWRIGHT_KIND(signbit)
#undef TILEWRIGHT_KIND
#define __sincosf sincosf
TILEWRIGHT_FUNCTION(float sinpif(float x), sin(3.14159265358979323846 * x))
TILEWRIGHT_FUNCTION(float cospif(float x), cos(3.14159265358979323846 * x))
TILEWRIGHT_FUNCTION(double sinpi(double x), sin(3.14159265358979323846 * x))
TILEWRIGHT_FUNCTION(double cospi(double x), cos(3.14159265358979323846 * x))
TILEWRIGHT_FUNCTION(float exp10f(float x), pow(10.0, static_cast<double>(x)))
TILEWRIGHT_FUNCTION(float rcbrtf(float x), 1.0f / cbrtf(x))
TILEWRIGHT_FUNCTION(float rhypotf(float x, float y), 1.0f / hypotf(x, y))
TILEWRIGHT_FUNCTION(float norm3df(float x, float y, float z), hypotf(hypotf(x, y), z))
TILEWRIGHT_FUNCTION(float normcdff(float x), 0.5f * erfcf(-0.70710678f * x))
TILEWRIGHT_FUNCTION(float fma(float x, float y, float z), fmaf(x, y, z))

TILEWRIGHT_FUNCTION(float rsqrtf(float x), 1.0f / sqrtf(x))
TILEWRIGHT_FUNCTION(double rsqrt(double x), 1.0 / sqrt(x))
TILEWRIGHT_FUNCTION(float __expf(float x), expf(x))
TILEWRIGHT_FUNCTION(float __logf(float x), logf(x))
TILEWRIGHT_FUNCTION(float __log2f(float x), log2f(x))
TILEWRIGHT_FUNCTION(float __sinf(float x), sinf(x))
TILEWRIGHT_FUNCTION(float __cosf(float x), cosf(x))
TILEWRIGHT_FUNCTION(float __log10f(float x), log10f(x))
TILEWRIGHT_FUNCTION(float __exp10f(float x), exp10f(x))
TILEWRIGHT_FUNCTION(float __tanf(float x), tanf(x))
TILEWRIGHT_FUNCTION(float __frsqrt_rn(float x), 1.0f / sqrtf(x))
TILEWRIGHT_FUNCTION(float __fdiv_rn(float x, float y), x / y)
TILEWRIGHT_FUNCTION(double __dadd_rn(double x, double y), x + y)
TILEWRIGHT_FUNCTION(double __dmul_rn(double x, double y), (x * y))
TILEWRIGHT_FUNCTION(double __fma_rn(double x, double y, double z), fma(x, y, z))
TILEWRIGHT_FUNCTION(float __powf(float x, float y), powf(x, y))
TILEWRIGHT_FUNCTION(float __fdividef(float x, float y), x / y)
TILEWRIGHT_FUNCTION(float __frcp_rn(float x), 1.0f / x)
TILEWRIGHT_FUNCTION(float __fsqrt_rn(float x), sqrtf(x))
TILEWRIGHT_FUNCTION(float __fadd_rn(float x, float y), x + y)
TILEWRIGHT_FUNCTION(float __fsub_rn(float x, float y), x - y)
TILEWRIGHT_FUNCTION(float __fmul_rn(float x, float y), (x * y))
TILEWRIGHT_FUNCTION(float __fmaf_rn(float x, float y, float z), fmaf(x, y, z))
TILEWRIGHT_FUNCTION(float __saturatef(float x), x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f)
TILEWRIGHT_FUNCTION(int __float_as_int(float x), __builtin_bit_cast(int, x))
TILEWRIGHT_FUNCTION(unsigned __float_as_uint(float x), __builtin_bit_cast(unsigned, x))
TILEWRIGHT_FUNCTION(float __int_as_float(int x), __builtin_bit_cast(float, x))
TILEWRIGHT_FUNCTION(float __uint_as_float(unsigned x), __builtin_bit_cast(float, x))
TILEWRIGHT_FUNCTION(long long __double_as_longlong(double x), __builtin_bit_cast(long long, x))
TILEWRIGHT_FUNCTION(double __longlong_as_double(long long x), __builtin_bit_cast(double, x))
TILEWRIGHT_FUNCTION(int __float2int_rd(float x), static_cast<int>(floorf(x)))
TILEWRIGHT_FUNCTION(int __float2int_ru(float x), static_cast<int>(ceilf(x)))
TILEWRIGHT_FUNCTION(unsigned __float2uint_rn(float x), static_cast<unsigned>(rintf(x)))
TILEWRIGHT_FUNCTION(unsigned __float2uint_rz(float x), static_cast<unsigned>(x))
TILEWRIGHT_FUNCTION(int __double2int_rn(double x), static_cast<int>(rint(x)))
TILEWRIGHT_FUNCTION(int __double2int_rz(double x), static_cast<int>(x))
TILEWRIGHT_FUNCTION(float __uint2float_rn(unsigned x), static_cast<float>(x))
TILEWRIGHT_FUNCTION(float __double2float_rn(double x), static_cast<float>(x))
TILEWRIGHT_FUNCTION(int __float2int_rn(float x), static_cast<int>(rintf(x)))
TILEWRIGHT_FUNCTION(int __float2int_rz(float x), static_cast<int>(x))
TILEWRIGHT_FUNCTION(float __int2float_rn(int x), static_cast<float>(x))
TILEWRIGHT_FUNCTION(int __mul24(int x, int y), (x * y))
TILEWRIGHT_FUNCTION(unsigned __umulhi(unsigned x, unsigned y),
                    static_cast<unsigned>(static_cast<unsigned long long>(x) * y >> 32))
TILEWRIGHT_FUNCTION(unsigned __umul24(unsigned x, unsigned y), (x * y))
TILEWRIGHT_FUNCTION(int __mulhi(int x, int y),
                    static_cast<int>(static_cast<long long>(x) * y >> 32))
TILEWRIGHT_FUNCTION(unsigned __sad(int x, int y, unsigned z), (x < y ? y - x : x - y) + z)
TILEWRIGHT_FUNCTION(int __clzll(long long x),
                    x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x)))
TILEWRIGHT_FUNCTION(int __ffsll(long long x), __builtin_ffsll(x))
static inline unsigned __brev(unsigned x) {
  unsigned result = 0;
  for (int i = 0; i < 32; ++i) result |= (x >> i & 1) << (31 - i);
  return result;
}
TILEWRIGHT_FUNCTION(unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift),
                    static_cast<unsigned>((static_cast<unsigned long long>(high) << 32 | low)
                                              << (shift & 31) >>
                                          32))
TILEWRIGHT_FUNCTION(unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift),
                    static_cast<unsigned>((static_cast<unsigned long long>(high) << 32 | low) >>
                                          (shift & 31)))
static inline int __dp4a(int x, int y, int sum) {
  for (int i = 0; i < 32; i += 8)
    sum += static_cast<signed char>(x >> i) * static_cast<signed char>(y >> i);
  return sum;
}
TILEWRIGHT_FUNCTION(int __popc(unsigned x), __builtin_popcount(x))
TILEWRIGHT_FUNCTION(int __popcll(unsigned long long x), __builtin_popcountll(x))
TILEWRIGHT_FUNCTION(int __clz(int x), x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x)))
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
TILEWRIGHT_FUNCTION(int __ffs(int x), __builtin_ffs(x))

#define TILEWRIGHT_EXTREMA(type)                               \
  TILEWRIGHT_FUNCTION(type min(type a, type b), b < a ? b : a) \
  TILEWRIGHT_FUNCTION(type max(type a, type b), a < b ? b : a)
TILEWRIGHT_EXTREMA(int)
TILEWRIGHT_EXTREMA(unsigned)
TILEWRIGHT_EXTREMA(long)
TILEWRIGHT_EXTREMA(unsigned long)
TILEWRIGHT_EXTREMA(long long)
TILEWRIGHT_EXTREMA(unsigned long long)
#undef TILEWRIGHT_EXTREMA
TILEWRIGHT_FUNCTION(unsigned min(int a, unsigned b), min(static_cast<unsigned>(a), b))
TILEWRIGHT_FUNCTION(unsigned min(unsigned a, int b), min(a, static_cast<unsigned>(b)))
TILEWRIGHT_FUNCTION(unsigned max(int a, unsigned b), max(static_cast<unsigned>(a), b))
TILEWRIGHT_FUNCTION(unsigned max(unsigned a, int b), max(a, static_cast<unsigned>(b)))
// As on the GPU, the result is the number if the other operand is a NaN.
TILEWRIGHT_FUNCTION(float min(float a, float b), fminf(a, b))
TILEWRIGHT_FUNCTION(float max(float a, float b), fmaxf(a, b))
TILEWRIGHT_FUNCTION(double min(double a, double b), fmin(a, b))
TILEWRIGHT_FUNCTION(double max(double a, double b), fmax(a, b))
