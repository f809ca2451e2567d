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

// cudaDataType_t. Throws LibraryError for a type that they do not have.
int cublas_type(ElementType type);

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
  int scale = CUDA_R_32F;                     // of alpha and beta
  int compute = 68;                           // CUBLAS_COMPUTE_32F: FP32 sums, no TF32
  ElementType factor = ElementType::float32;  // `scale` as we name it
};

// Throws LibraryError for a type that they do not have, and for factors that are neither of the
// type that they want nor become it (CublasFactor).
CublasTypes cublas_types(const ProductTypes& types);

// alpha or beta of a call in the type that the libraries want: sums in float16 have factors of
// float16, and the problem's are of float32.
class CublasFactor {
 public:
  // `given` must outlive it.
  CublasFactor(const void* given, ElementType type, const CublasTypes& wanted);
  CublasFactor(const CublasFactor&) = delete;
  CublasFactor& operator=(const CublasFactor&) = delete;
  const void* get() const { return it_; }

 private:
  const void* it_;
  Float16 rounded_;
};

}  // namespace tilewright::cuda
