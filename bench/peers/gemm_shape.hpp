#pragma once

#include <cstdint>

#include "bench/peers/field.hpp"

namespace tilewright::bench {

// A problem of gemm, row-major, with the factors alpha and beta of its field.
struct GemmShape {
  std::int64_t m = 1;
  std::int64_t n = 1;
  std::int64_t k = 1;
  std::int64_t batch = 1;
  std::int64_t lda = 1;
  std::int64_t ldb = 1;
  std::int64_t ldc = 1;
  std::int64_t stride_a = 0;
  std::int64_t stride_b = 0;
  std::int64_t stride_c = 0;
  bool transpose_a = false;
  bool transpose_b = false;
  float alpha = 1;
  float beta = 0;          // 0 if C is overwritten
  bool bias_gelu = false;  // whether the epilogue is the snippet of that name
};

// Throws CannotCompete for an epilogue that no rival computes.
GemmShape gemm_shape(const Field& field);

// The indices of the operation's arguments.
inline constexpr std::size_t kA = 0;
inline constexpr std::size_t kB = 1;
inline constexpr std::size_t kC = 2;
inline constexpr std::size_t kAlpha = 3;
inline constexpr std::size_t kBeta = 4;
inline constexpr std::size_t kBias = 5;  // the snippet's, one for each column

}  // namespace tilewright::bench
