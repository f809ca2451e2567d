#pragma once

#include <cstddef>

namespace tilewright::bench {

// Constants of cublas_api.h and library_types.h of CUDA 13.0 that cuBLAS and cublasLt share.
// Their matrices are column-major, so they see ours as transposed and compute
// C' = op(B)' · op(A)', N × M. A matrix that we store untransposed is not transposed there either.
inline constexpr int kReal32 = 0;      // CUDA_R_32F
inline constexpr int kCompute32 = 68;  // CUBLAS_COMPUTE_32F: FP32 arithmetic, no TF32
inline constexpr int kAsStored = 0;    // CUBLAS_OP_N
inline constexpr int kTransposed = 1;  // CUBLAS_OP_T

inline int as_operation(bool is_transposed) {
  return is_transposed ? kTransposed : kAsStored;
}

inline constexpr std::size_t kCublasWorkspace = std::size_t{64} << 20;

}  // namespace tilewright::bench
