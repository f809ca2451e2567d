#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tilewright::bench {

// Constants and types of cublasLt.h of CUDA 13.0.
inline constexpr int kTransA = 3;           // CUBLASLT_MATMUL_DESC_TRANSA
inline constexpr int kTransB = 4;           // CUBLASLT_MATMUL_DESC_TRANSB
inline constexpr int kEpilogue = 7;         // CUBLASLT_MATMUL_DESC_EPILOGUE
inline constexpr int kBiasPointer = 8;      // CUBLASLT_MATMUL_DESC_BIAS_POINTER
inline constexpr int kGeluBias = 36;        // CUBLASLT_EPILOGUE_GELU_BIAS
inline constexpr int kBatchCount = 5;       // CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT
inline constexpr int kBatchStride = 6;      // CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET
inline constexpr int kScaleA = 17;          // CUBLASLT_MATMUL_DESC_A_SCALE_POINTER
inline constexpr int kScaleB = 18;          // CUBLASLT_MATMUL_DESC_B_SCALE_POINTER
inline constexpr int kFastSums = 25;        // CUBLASLT_MATMUL_DESC_FAST_ACCUM
inline constexpr int kLtMostWorkspace = 1;  // CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES

using Opaque = void*;
using SetAttribute = int(Opaque, int, const void*, std::size_t);

struct Algorithm {  // cublasLtMatmulAlgo_t
  std::array<std::uint64_t, 8> data = {};
};

struct HeuristicResult {  // cublasLtMatmulHeuristicResult_t
  Algorithm algorithm;
  std::size_t workspace_bytes = 0;
  int state = 0;
  float waves = 0;
  std::array<int, 4> reserved = {};
};

// Owns a descriptor, with the function that destroys it.
class LtDescriptor {
 public:
  explicit LtDescriptor(int (*destroy)(Opaque)) : destroy_(destroy) {}
  LtDescriptor(const LtDescriptor&) = delete;
  LtDescriptor& operator=(const LtDescriptor&) = delete;
  ~LtDescriptor() {
    if (it_ != nullptr) destroy_(it_);
  }
  Opaque get() const { return it_; }
  Opaque* out() { return &it_; }

 private:
  int (*destroy_)(Opaque);
  Opaque it_ = nullptr;
};

}  // namespace tilewright::bench
