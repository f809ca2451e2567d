#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "tuner/cuda/device/memory.hpp"
#include "tuner/cuda/libraries/cublas_types.hpp"
#include "tuner/cuda/libraries/handles.hpp"
#include "tuner/cuda/libraries/shared_library.hpp"

namespace tilewright::cuda {

// Types of cublasLt.h of CUDA 13.0.
using LtOpaque = void*;

struct LtAlgorithm {  // cublasLtMatmulAlgo_t
  std::array<std::uint64_t, 8> data = {};
};

struct LtHeuristicResult {  // cublasLtMatmulHeuristicResult_t
  LtAlgorithm algorithm;
  std::size_t workspace_bytes = 0;
  int state = 0;
  float waves = 0;
  std::array<int, 4> reserved = {};
};

// The functions of cublasLt that we use. Functions that return an int return a cublasStatus_t.
struct CublasLt : StatusLibrary {
  explicit CublasLt(const std::vector<std::filesystem::path>& folders);

  // "cublasLt 13.1.0"
  std::string version() const;

  using Destroy = LibraryDescriptor::Destroy;
  using Set = int(LtOpaque, int, const void*, std::size_t);
  std::size_t (*get_version)() = library.find<std::size_t()>("cublasLtGetVersion");
  int (*make_operation)(LtOpaque*, int,
                        int) = library.find<int(LtOpaque*, int, int)>("cublasLtMatmulDescCreate");
  Destroy* end_operation = library.find<Destroy>("cublasLtMatmulDescDestroy");
  Set* set_operation = library.find<Set>("cublasLtMatmulDescSetAttribute");
  using MakeLayout = int(LtOpaque*, int, std::uint64_t, std::uint64_t, std::int64_t);
  MakeLayout* make_layout = library.find<MakeLayout>("cublasLtMatrixLayoutCreate");
  Destroy* end_layout = library.find<Destroy>("cublasLtMatrixLayoutDestroy");
  Set* set_layout = library.find<Set>("cublasLtMatrixLayoutSetAttribute");
  int (*make_preference)(LtOpaque*) =
      library.find<int(LtOpaque*)>("cublasLtMatmulPreferenceCreate");
  Destroy* end_preference = library.find<Destroy>("cublasLtMatmulPreferenceDestroy");
  Set* set_preference = library.find<Set>("cublasLtMatmulPreferenceSetAttribute");
  using Heuristic = int(LtOpaque, LtOpaque, LtOpaque, LtOpaque, LtOpaque, LtOpaque, LtOpaque, int,
                        LtHeuristicResult*, int*);
  Heuristic* heuristic = library.find<Heuristic>("cublasLtMatmulAlgoGetHeuristic");
  using MakeAlgorithm = int(LtOpaque, int, int, int, int, int, int, int, LtAlgorithm*);
  MakeAlgorithm* make_algorithm = library.find<MakeAlgorithm>("cublasLtMatmulAlgoInit");
  using SetAlgorithm = int(LtAlgorithm*, int, const void*, std::size_t);
  SetAlgorithm* set_algorithm = library.find<SetAlgorithm>("cublasLtMatmulAlgoConfigSetAttribute");
  using GetAlgorithm = int(const LtAlgorithm*, int, void*, std::size_t, std::size_t*);
  GetAlgorithm* get_algorithm = library.find<GetAlgorithm>("cublasLtMatmulAlgoConfigGetAttribute");
  using CheckAlgorithm = int(LtOpaque, LtOpaque, LtOpaque, LtOpaque, LtOpaque, LtOpaque,
                             const LtAlgorithm*, LtHeuristicResult*);
  CheckAlgorithm* check_algorithm = library.find<CheckAlgorithm>("cublasLtMatmulAlgoCheck");
  using Matmul = int(LtOpaque, LtOpaque, const void*, const void*, LtOpaque, const void*, LtOpaque,
                     const void*, const void*, LtOpaque, void*, LtOpaque, const LtAlgorithm*, void*,
                     std::size_t, cudaStream_t);
  Matmul* matmul = library.find<Matmul>("cublasLtMatmul");
};

// A product of row-major matrices, as a problem of gemm has it.
struct LtProblem {
  std::int64_t m = 1, n = 1, k = 1, batch = 1;
  std::int64_t lda = 1, ldb = 1, ldc = 1;
  std::int64_t stride_a = 0, stride_b = 0, stride_c = 0;
  bool transpose_a = false;
  bool transpose_b = false;
  ProductTypes types = {};
  // What follows the sums, as the library numbers it. A bias has one element for each column.
  enum class Epilogue { none = 1, relu = 2, bias = 4, bias_relu = 6, gelu = 32, bias_gelu = 36 };
  Epilogue epilogue = Epilogue::none;
  std::optional<ElementType> bias = {};  // its type; nothing: C's
  // How products of float8 are added up. fast: the tensor cores' sums are never moved to FP32
  // before the end.
  enum class Sums { promoted, fast } sums = Sums::promoted;
};

// The operands of a call. The factors are in host memory.
struct LtOperands {
  const void* a = nullptr;
  const void* b = nullptr;
  void* c = nullptr;
  const void* alpha = nullptr;
  const void* beta = nullptr;
  const void* bias = nullptr;  // in device memory; for LtProblem::Epilogue
};

// An algorithm by what describes it: ALGORITHM, TILE, STAGES, SPLIT_K, REDUCTION, SWIZZLE, CUSTOM,
// INNER_SHAPE, CLUSTER_SHAPE, as the library numbers them.
using LtNumbers = std::map<std::string, std::int64_t>;

// A product that is described to the library, on the device that is current. Every method throws
// LibraryError if the library refuses.
class LtProduct {
 public:
  // `library` must outlive it.
  LtProduct(const CublasLt& library, const LtProblem& problem);

  // At most so many that the library says can run, its preferred one first.
  std::vector<LtHeuristicResult> algorithms(int most, std::size_t workspace_bytes) const;

  LtNumbers describe(const LtAlgorithm& algorithm) const;
  // Names beside those of an algorithm are ignored.
  LtAlgorithm make(const LtNumbers& numbers) const;
  // The bytes of workspace that it needs.
  std::size_t check(const LtAlgorithm& algorithm) const;

  // Enqueues.
  void call(const LtOperands& operands, const LtAlgorithm& algorithm, void* workspace,
            std::size_t workspace_bytes, cudaStream_t stream) const;

 private:
  // A matrix as it is stored, in column-major terms and elements.
  struct Stored {
    std::int64_t rows;
    std::int64_t columns;
    std::int64_t leading;
    std::int64_t stride;  // from one of the batch to the next
  };
  void lay_out(LibraryDescriptor& layout, int type, const Stored& matrix, std::int64_t batch) const;
  template <class Value>
  void set(int attribute, const Value& value) const;
  void scale_by_one(LtProblem::Sums sums);

  const CublasLt& library_;
  CublasTypes types_;
  ElementType factor_;  // the problem's
  LtOpaque handle_;
  mutable std::mutex bias_mutex_;  // operation_ has the call's bias
  LibraryDescriptor operation_{library_.end_operation};
  LibraryDescriptor a_{library_.end_layout};
  LibraryDescriptor b_{library_.end_layout};
  LibraryDescriptor c_{library_.end_layout};
  DeviceMemory one_;  // float8 only
};

}  // namespace tilewright::cuda
