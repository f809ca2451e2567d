//
// cublasLt with the fastest algorithm of its heuristic's list. Prototypes and constants are from
// cublasLt.h of CUDA 13.0.
#include <fmt/format.h>

#include <array>
#include <vector>

#include "bench/peers/cublas.hpp"
#include "bench/peers/gemm_shape.hpp"
#include "bench/peers/rivals.hpp"
#include "bench/peers/shared_library.hpp"

namespace tilewright::bench {
namespace {

constexpr int kTransA = 3;           // CUBLASLT_MATMUL_DESC_TRANSA
constexpr int kTransB = 4;           // CUBLASLT_MATMUL_DESC_TRANSB
constexpr int kEpilogue = 7;         // CUBLASLT_MATMUL_DESC_EPILOGUE
constexpr int kBiasPointer = 8;      // CUBLASLT_MATMUL_DESC_BIAS_POINTER
constexpr int kGeluBias = 36;        // CUBLASLT_EPILOGUE_GELU_BIAS
constexpr int kBatchCount = 5;       // CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT
constexpr int kBatchStride = 6;      // CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET
constexpr int kLtMostWorkspace = 1;  // CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES
constexpr int kAsked = 32;           // number of algorithms that are asked for

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

class CublasLt final : public Entrant {
 public:
  CublasLt(const RivalTask& task, const GemmShape& shape)
      : shape_(shape), library_({"libcublasLt.so.13", "libcublasLt.so.12"}, task.libraries) {
    require_success(library_.find<int(Opaque*)>("cublasLtCreate")(handle_.out()), "cublasLtCreate");
    describe();
    workspace_ = cuda::allocate(kCublasWorkspace);
    matmul_ = library_.find<Matmul>("cublasLtMatmul");
  }

  // The algorithms of the heuristic, its preferred one first.
  std::vector<HeuristicResult> algorithms() {
    LtDescriptor preference(destroyer("cublasLtMatmulPreferenceDestroy"));
    require_success(library_.find<int(Opaque*)>("cublasLtMatmulPreferenceCreate")(preference.out()),
                    "cublasLtMatmulPreferenceCreate");
    set("cublasLtMatmulPreferenceSetAttribute", preference, kLtMostWorkspace, kCublasWorkspace);
    std::vector<HeuristicResult> results(kAsked);
    int count = 0;
    require_success(library_.find<int(Opaque, Opaque, Opaque, Opaque, Opaque, Opaque, Opaque, int,
                                      HeuristicResult*, int*)>("cublasLtMatmulAlgoGetHeuristic")(
                        handle_.get(), operation_.get(), b_.get(), a_.get(), c_.get(), c_.get(),
                        preference.get(), kAsked, results.data(), &count),
                    "cublasLtMatmulAlgoGetHeuristic");
    results.resize(static_cast<std::size_t>(count));
    return results;
  }

  void choose(const Algorithm& algorithm, std::string how) {
    algorithm_ = algorithm;
    how_ = std::move(how);
  }

  void call(std::span<void* const> operands, cudaStream_t stream) override {
    if (shape_.bias_gelu)
      set("cublasLtMatmulDescSetAttribute", operation_, kBiasPointer, operands[kBias]);
    require_success(
        matmul_(handle_.get(), operation_.get(), &shape_.alpha, operands[kB], b_.get(),
                operands[kA], a_.get(), &shape_.beta, operands[kC], c_.get(), operands[kC],
                c_.get(), &algorithm_, workspace_.get(), kCublasWorkspace, stream),
        "cublasLtMatmul");
  }
  std::string how() const override {
    const std::size_t version = library_.find<std::size_t()>("cublasLtGetVersion")();
    return fmt::format("cublasLt {}.{}.{} {}", version / 10000, version / 100 % 100, version % 100,
                       how_ + (shape_.bias_gelu ? ", its own epilogue" : ""));
  }

 private:
  using Matmul = int(Opaque, Opaque, const void*, const void*, Opaque, const void*, Opaque,
                     const void*, const void*, Opaque, void*, Opaque, const Algorithm*, void*,
                     std::size_t, cudaStream_t);

  int (*destroyer(const char* name) const)(Opaque) { return library_.find<int(Opaque)>(name); }

  template <class Value>
  void set(const char* function, const LtDescriptor& target, int attribute,
           const Value& value) const {
    require_success(
        library_.find<SetAttribute>(function)(target.get(), attribute, &value, sizeof value),
        function);
  }

  void describe() {
    require_success(library_.find<int(Opaque*, int, int)>("cublasLtMatmulDescCreate")(
                        operation_.out(), kCompute32, kReal32),
                    "cublasLtMatmulDescCreate");
    set("cublasLtMatmulDescSetAttribute", operation_, kTransA, as_operation(shape_.transpose_b));
    set("cublasLtMatmulDescSetAttribute", operation_, kTransB, as_operation(shape_.transpose_a));
    if (shape_.bias_gelu) set("cublasLtMatmulDescSetAttribute", operation_, kEpilogue, kGeluBias);
    lay_out(b_, shape_.transpose_b ? shape_.k : shape_.n, shape_.transpose_b ? shape_.n : shape_.k,
            shape_.ldb, shape_.stride_b);
    lay_out(a_, shape_.transpose_a ? shape_.m : shape_.k, shape_.transpose_a ? shape_.k : shape_.m,
            shape_.lda, shape_.stride_a);
    lay_out(c_, shape_.n, shape_.m, shape_.ldc, shape_.stride_c);
  }

  // The layout of a matrix as it is stored, in column-major terms.
  void lay_out(LtDescriptor& layout, std::int64_t rows, std::int64_t columns, std::int64_t leading,
               std::int64_t stride) const {
    require_success(
        library_.find<int(Opaque*, int, std::uint64_t, std::uint64_t, std::int64_t)>(
            "cublasLtMatrixLayoutCreate")(layout.out(), kReal32, static_cast<std::uint64_t>(rows),
                                          static_cast<std::uint64_t>(columns), leading),
        "cublasLtMatrixLayoutCreate");
    if (shape_.batch == 1) return;
    set("cublasLtMatrixLayoutSetAttribute", layout, kBatchCount, static_cast<int>(shape_.batch));
    set("cublasLtMatrixLayoutSetAttribute", layout, kBatchStride, stride);
  }

  GemmShape shape_;
  SharedLibrary library_;
  LtDescriptor handle_{destroyer("cublasLtDestroy")};
  LtDescriptor operation_{destroyer("cublasLtMatmulDescDestroy")};
  LtDescriptor a_{destroyer("cublasLtMatrixLayoutDestroy")};
  LtDescriptor b_{destroyer("cublasLtMatrixLayoutDestroy")};
  LtDescriptor c_{destroyer("cublasLtMatrixLayoutDestroy")};
  cuda::DeviceMemory workspace_;
  Matmul* matmul_ = nullptr;
  Algorithm algorithm_;
  std::string how_;
};

}  // namespace

Corner make_cublas_lt(const RivalTask& task) {
  auto matmul = std::make_unique<CublasLt>(task, gemm_shape(*task.field));
  const std::vector<HeuristicResult> algorithms = matmul->algorithms();
  const auto choose = [&](std::size_t i) {
    matmul->choose(algorithms[i].algorithm,
                   fmt::format("algorithm {} of {}", i + 1, algorithms.size()));
  };
  choose(fastest_of(algorithms.size(), [&](std::size_t i) {
    choose(i);
    return task.arena.time(*task.field, *matmul, trying()).median_us;
  }));
  return {task.field, std::move(matmul)};
}

}  // namespace tilewright::bench
