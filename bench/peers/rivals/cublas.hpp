#pragma once

#include <cstddef>

#include "bench/peers/cases/gemm_shape.hpp"
#include "bench/peers/rivals/shared_library.hpp"
#include "tuner/cuda/libraries/cublas.hpp"

namespace tilewright::bench {

inline constexpr std::size_t kCublasWorkspace = std::size_t{64} << 20;

inline cuda::ProductTypes product_types(const GemmShape& shape) {
  return {shape.type_a, shape.type_b, shape.type_c, shape.factor_type, shape.precision};
}

// Without an epilogue.
inline cuda::LtProblem product_problem(const GemmShape& shape) {
  return {.m = shape.m,
          .n = shape.n,
          .k = shape.k,
          .batch = shape.batch,
          .lda = shape.lda,
          .ldb = shape.ldb,
          .ldc = shape.ldc,
          .stride_a = shape.stride_a,
          .stride_b = shape.stride_b,
          .stride_c = shape.stride_c,
          .transpose_a = shape.transpose_a,
          .transpose_b = shape.transpose_b,
          .types = product_types(shape)};
}

// A problem's types as cuBLAS names them. Throws CannotCompete for a type that it does not have,
// and for factors that are not of the type that it wants.
inline cuda::CublasTypes cublas_types(const GemmShape& shape) {
  return or_cannot_compete([&] { return cuda::cublas_types(product_types(shape)); });
}

}  // namespace tilewright::bench
