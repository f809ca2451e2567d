#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "tuner/cuda/libraries/cublas_lt.hpp"
#include "tuner/cuda/libraries/cublas_types.hpp"
#include "tuner/cuda/libraries/handles.hpp"
#include "tuner/cuda/libraries/shared_library.hpp"

namespace tilewright::cuda {

// The functions of cuBLAS that we use. They return a cublasStatus_t.
struct Cublas : StatusLibrary {
  explicit Cublas(const std::vector<std::filesystem::path>& folders);

  // "cuBLAS 13.1.0"
  std::string version() const;

  int (*get_property)(int, int*) = library.find<int(int, int*)>("cublasGetProperty");
  int (*set_stream)(void*,
                    cudaStream_t) = library.find<int(void*, cudaStream_t)>("cublasSetStream_v2");
  int (*set_workspace)(void*, void*, std::size_t) =
      library.find<int(void*, void*, std::size_t)>("cublasSetWorkspace_v2");
  using Gemm = int(void*, int, int, int, int, int, const void*, const void*, int, int, const void*,
                   int, int, const void*, void*, int, int, int, int);
  Gemm* gemm = library.find<Gemm>("cublasGemmEx");
  using BatchedGemm = int(void*, int, int, int, int, int, const void*, const void*, int, int,
                          long long, const void*, int, int, long long, const void*, void*, int, int,
                          long long, int, int, int);
  BatchedGemm* batched_gemm = library.find<BatchedGemm>("cublasGemmStridedBatchedEx");
};

// cublasGemmEx or its strided batches for one product, on the device that was current when it was
// made. cuBLAS chooses the algorithm in each call.
class CublasProduct {
 public:
  // `library` must outlive it. Throws LibraryError for types and sizes that the library cannot
  // have.
  CublasProduct(const Cublas& library, const LtProblem& problem);

  // Enqueues. Throws LibraryError if the library refuses.
  void call(const LtOperands& operands, void* workspace, std::size_t workspace_bytes,
            cudaStream_t stream) const;

 private:
  const Cublas& library_;
  LtProblem problem_;
  CublasTypes types_;
  LibraryHandle& handle_;
};

}  // namespace tilewright::cuda
