// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// The instructions that multiply fragments (PTX mma.sync): Half from sm_75 on; BFloat16, float as
// tf32, which cuts its mantissa to 10 bits, signed char and double from sm_80 on; 8-bit floats from
// sm_89 on.
// After: NVIDIA, PTX ISA, matrix fragments for mma.

#include "element.cuh"

#if defined(__CUDA_ARCH__)

// Adds to 16 × 8 sums the products of 16 rows and 8 columns for 32 bytes of ks, of which a lane has
// four words and two (tensor_core.cuh says which).
template <class A, class B>
struct TensorProduct;

template <>
struct TensorProduct<Half, Half> {
  static __device__ __forceinline__ void add(float (&sums)[4], const unsigned (&a)[4],
                                             unsigned b_low, unsigned b_high) {
#if __CUDA_ARCH__ >= 800
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};\n"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b_low), "r"(b_high));
#else
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%8}, "
        "{%0, %1, %2, %3};\n\t"
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%6, %7}, {%9}, "
        "{%0, %1, %2, %3};\n"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b_low), "r"(b_high));
#endif
  }
};
template <>
struct TensorProduct<BFloat16, BFloat16> {
  static __device__ __forceinline__ void add(float (&sums)[4], const unsigned (&a)[4],
                                             unsigned b_low, unsigned b_high) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};\n"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b_low), "r"(b_high));
  }
};
template <>
struct TensorProduct<float, float> {
  static __device__ __forceinline__ void add(float (&sums)[4], const unsigned (&a)[4],
                                             unsigned b_low, unsigned b_high) {
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};\n"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b_low), "r"(b_high));
  }
};
template <>
struct TensorProduct<double, double> {
  static __device__ __forceinline__ void add(double (&sums)[4], const unsigned (&a)[4],
                                             unsigned b_low, unsigned b_high) {
    const double first = __hiloint2double(static_cast<int>(a[1]), static_cast<int>(a[0]));
    const double last = __hiloint2double(static_cast<int>(a[3]), static_cast<int>(a[2]));
    const double b = __hiloint2double(static_cast<int>(b_high), static_cast<int>(b_low));
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
        "{%0, %1, %2, %3};\n"
        : "+d"(sums[0]), "+d"(sums[1]), "+d"(sums[2]), "+d"(sums[3])
        : "d"(first), "d"(last), "d"(b));
#else
    asm volatile(
        "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%4}, {%6}, {%0, %1};\n\t"
        "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%2, %3}, {%5}, {%6}, {%2, %3};\n"
        : "+d"(sums[0]), "+d"(sums[1]), "+d"(sums[2]), "+d"(sums[3])
        : "d"(first), "d"(last), "d"(b));
#endif
  }
};
template <>
struct TensorProduct<signed char, signed char> {
  static __device__ __forceinline__ void add(int (&sums)[4], const unsigned (&a)[4], unsigned b_low,
                                             unsigned b_high) {
    asm volatile(
        "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};\n"
        : "+r"(sums[0]), "+r"(sums[1]), "+r"(sums[2]), "+r"(sums[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b_low), "r"(b_high));
  }
};
template <>
struct TensorProduct<Float8E4M3, Float8E4M3> {
  static __device__ __forceinline__ void add(float (&sums)[4], const unsigned (&a)[4],
                                             unsigned b_low, unsigned b_high) {
    asm volatile(
        "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};\n"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b_low), "r"(b_high));
  }
};
template <>
struct TensorProduct<Float8E4M3, Float8E5M2> {
  static __device__ __forceinline__ void add(float (&sums)[4], const unsigned (&a)[4],
                                             unsigned b_low, unsigned b_high) {
    asm volatile(
        "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};\n"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b_low), "r"(b_high));
  }
};
template <>
struct TensorProduct<Float8E5M2, Float8E4M3> {
  static __device__ __forceinline__ void add(float (&sums)[4], const unsigned (&a)[4],
                                             unsigned b_low, unsigned b_high) {
    asm volatile(
        "mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e4m3.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};\n"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b_low), "r"(b_high));
  }
};
template <>
struct TensorProduct<Float8E5M2, Float8E5M2> {
  static __device__ __forceinline__ void add(float (&sums)[4], const unsigned (&a)[4],
                                             unsigned b_low, unsigned b_high) {
    asm volatile(
        "mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e5m2.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};\n"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b_low), "r"(b_high));
  }
};

// Whether sums keep few bits inside the tensor cores: those of 8-bit floats do, except that sm_90
// has no such instruction and multiplies them as Half.
constexpr bool kHasFloat8 = __CUDA_ARCH__ != 900;
template <class T>
constexpr bool kSumsAreShort = kHasFloat8 && (kSameType<T, Float8E4M3> || kSameType<T, Float8E5M2>);

// The same. Where sums are short, those of 32 ks are added outside.
template <class A, class B, class Sum>
__device__ __forceinline__ void add_products_of_step(Sum (&sums)[4], const unsigned (&a)[4],
                                                     unsigned b_low, unsigned b_high) {
  if constexpr (kSumsAreShort<A>) {
    Sum fresh[4] = {};
    TensorProduct<A, B>::add(fresh, a, b_low, b_high);
#pragma unroll
    for (int i = 0; i < 4; ++i) sums[i] += fresh[i];
  } else {
    TensorProduct<A, B>::add(sums, a, b_low, b_high);
  }
}

#endif
