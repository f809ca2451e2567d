#pragma once

#include <library_types.h>

#include <string>

#include "tilewright/element_type.hpp"

namespace tilewright::cuda {

// Constants of cublas_api.h of CUDA 13.0 that cuBLAS and cublasLt share.
// Their matrices are column-major, so they see ours as transposed and compute
// C' = op(B)' · op(A)', N × M. A matrix that we store untransposed is not transposed there either.
inline constexpr int kAsStored = 0;    // CUBLAS_OP_N
inline constexpr int kTransposed = 1;  // CUBLAS_OP_T

inline int as_operation(bool is_transposed) {
  return is_transposed ? kTransposed : kAsStored;
}

// A product's types as a problem of gemm has them.
struct ProductTypes {
  ElementType a = ElementType::float32;
  ElementType b = ElementType::float32;
  ElementType c = ElementType::float32;
  ElementType factor = ElementType::float32;  // of alpha and beta
  std::string precision = "float32";          // the problem's label: of products and sums
};

// The same as both libraries name them: cudaDataType_t and cublasComputeType_t.
struct CublasTypes {
  int a = CUDA_R_32F;
  int b = CUDA_R_32F;
  int c = CUDA_R_32F;
  int scale = CUDA_R_32F;  // of alpha and beta
  int compute = 68;        // CUBLAS_COMPUTE_32F: FP32 sums, no TF32
};

// Throws LibraryError for a type that they do not have, and for factors that are not of the type
// that they want.
CublasTypes cublas_types(const ProductTypes& types);

}  // namespace tilewright::cuda
