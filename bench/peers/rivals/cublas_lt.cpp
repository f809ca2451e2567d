// cublasLt with the fastest algorithm of its heuristic's whole list. Prototypes are from cublasLt.h
// of CUDA 13.0.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "bench/peers/cases/gemm_shape.hpp"
#include "bench/peers/rivals/convert.hpp"
#include "bench/peers/rivals/cublas.hpp"
#include "bench/peers/rivals/cublas_lt_types.hpp"
#include "bench/peers/rivals/rivals.hpp"
#include "bench/peers/rivals/shared_library.hpp"

namespace tilewright::bench {
namespace {

constexpr int kAsked = 200;  // number of algorithms that are asked for
constexpr std::size_t kFinalists = 8;
constexpr int kShortRounds = 4;   // of all algorithms, warm
constexpr int kLongRounds = 16;   // of the finalists, under the run's policy
constexpr int kLoadedRounds = 4;  // the same, where each sample has a lead-in

// How products of float8 are added up. fast: the tensor cores' sums are never moved to FP32 before
// the end.
enum class Sums { promoted, fast };

class CublasLt final : public VariedEntrant {
 public:
  CublasLt(const RivalTask& task, const GemmShape& shape, Sums sums)
      : shape_(shape),
        types_(cublas_types(shape)),
        library_({"libcublasLt.so.13", "libcublasLt.so.12"}, task.libraries) {
    require_success(library_.find<int(Opaque*)>("cublasLtCreate")(handle_.out()), "cublasLtCreate");
    describe();
    if (size_of(shape_.type_a) == 1 && !is_integer(shape_.type_a)) scale_by_one(sums);
    if (shape_.bias_gelu) add_bias(*task.field);
    workspace_ = cuda::allocate(kCublasWorkspace);
    matmul_ = library_.find<Matmul>("cublasLtMatmul");
    algorithms_ = ask();
  }

  std::size_t variants() const override { return algorithms_.size(); }
  void choose(std::size_t variant) override { chosen_ = variant; }

  void call(std::span<void* const> operands, cudaStream_t stream) override {
    if (shape_.bias_gelu && bias_.get() == nullptr)
      set("cublasLtMatmulDescSetAttribute", operation_, kBiasPointer, operands[kBias]);
    require_success(matmul_(handle_.get(), operation_.get(), &shape_.alpha, operands[kB], b_.get(),
                            operands[kA], a_.get(), &shape_.beta, operands[kC], c_.get(),
                            operands[kC], c_.get(), &algorithms_.at(chosen_).algorithm,
                            workspace_.get(), kCublasWorkspace, stream),
                    "cublasLtMatmul");
  }
  std::string how() const override {
    const std::size_t version = library_.find<std::size_t()>("cublasLtGetVersion")();
    return fmt::format("cublasLt {}.{}.{} algorithm {} of {}{}", version / 10000,
                       version / 100 % 100, version % 100, chosen_ + 1, algorithms_.size(), extra_);
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
                        operation_.out(), types_.compute, types_.scale),
                    "cublasLtMatmulDescCreate");
    set("cublasLtMatmulDescSetAttribute", operation_, kTransA, as_operation(shape_.transpose_b));
    set("cublasLtMatmulDescSetAttribute", operation_, kTransB, as_operation(shape_.transpose_a));
    lay_out(b_, types_.b,
            {shape_.transpose_b ? shape_.k : shape_.n, shape_.transpose_b ? shape_.n : shape_.k,
             shape_.ldb, shape_.stride_b});
    lay_out(a_, types_.a,
            {shape_.transpose_a ? shape_.m : shape_.k, shape_.transpose_a ? shape_.k : shape_.m,
             shape_.lda, shape_.stride_a});
    lay_out(c_, types_.c, {shape_.n, shape_.m, shape_.ldc, shape_.stride_c});
  }

  // A matrix as it is stored, in column-major terms and elements.
  struct Stored {
    std::int64_t rows;
    std::int64_t columns;
    std::int64_t leading;
    std::int64_t stride;  // from one of the batch to the next
  };

  void lay_out(LtDescriptor& layout, int type, const Stored& matrix) const {
    require_success(library_.find<int(Opaque*, int, std::uint64_t, std::uint64_t, std::int64_t)>(
                        "cublasLtMatrixLayoutCreate")(
                        layout.out(), type, static_cast<std::uint64_t>(matrix.rows),
                        static_cast<std::uint64_t>(matrix.columns), matrix.leading),
                    "cublasLtMatrixLayoutCreate");
    if (shape_.batch == 1) return;
    set("cublasLtMatrixLayoutSetAttribute", layout, kBatchCount, static_cast<int>(shape_.batch));
    set("cublasLtMatrixLayoutSetAttribute", layout, kBatchStride, matrix.stride);
  }

  // Factors on the device for matrices of float8, which are 1 because alpha is the problem's
  // factor.
  void scale_by_one(Sums sums) {
    constexpr float kOne = 1;
    one_ = cuda::allocate(sizeof kOne);
    cuda::check(cudaMemcpy(one_.get(), &kOne, sizeof kOne, cudaMemcpyHostToDevice),
                "copy a factor to the device");
    const void* const factor = one_.get();
    set("cublasLtMatmulDescSetAttribute", operation_, kScaleA, factor);
    set("cublasLtMatmulDescSetAttribute", operation_, kScaleB, factor);
    set("cublasLtMatmulDescSetAttribute", operation_, kFastSums,
        static_cast<std::int8_t>(sums == Sums::fast));
    extra_ += sums == Sums::fast ? ", fast accumulation" : ", no fast accumulation";
  }

  // The library takes a bias of C's type, so one of another type is rounded once, before all calls.
  void add_bias(const Field& field) {
    set("cublasLtMatmulDescSetAttribute", operation_, kEpilogue, kGeluBias);
    extra_ += ", its own epilogue";
    const ElementType given = field.operands().plan()[kBias].type;
    if (given == shape_.type_c) return;
    const std::vector<std::uint8_t> rounded =
        converted(field.operands().before()[kBias], given, shape_.type_c);
    bias_ = cuda::allocate(static_cast<std::int64_t>(rounded.size()));
    cuda::check(cudaMemcpy(bias_.get(), rounded.data(), rounded.size(), cudaMemcpyHostToDevice),
                "copy the bias to the device");
    const void* const bias = bias_.get();
    set("cublasLtMatmulDescSetAttribute", operation_, kBiasPointer, bias);
    extra_ += " with a bias of " + to_text(shape_.type_c);
  }

  // The algorithms of the heuristic that it says can run, its preferred one first.
  std::vector<HeuristicResult> ask() {
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
    std::erase_if(results, [](const HeuristicResult& result) { return result.state != 0; });
    return results;
  }

  GemmShape shape_;
  CublasTypes types_;
  SharedLibrary library_;
  LtDescriptor handle_{destroyer("cublasLtDestroy")};
  LtDescriptor operation_{destroyer("cublasLtMatmulDescDestroy")};
  LtDescriptor a_{destroyer("cublasLtMatrixLayoutDestroy")};
  LtDescriptor b_{destroyer("cublasLtMatrixLayoutDestroy")};
  LtDescriptor c_{destroyer("cublasLtMatrixLayoutDestroy")};
  cuda::DeviceMemory workspace_;
  cuda::DeviceMemory one_;   // float8 only
  cuda::DeviceMemory bias_;  // of C's type, where the problem's is not
  Matmul* matmul_ = nullptr;
  std::vector<HeuristicResult> algorithms_;
  std::size_t chosen_ = 0;
  std::string extra_;  // of how()
};

// All algorithms beside each other for a short time, warm; then the best few for as long as a pair
// of the tournament, under its policy.
Corner make(const RivalTask& task, Sums sums) {
  auto matmul = std::make_unique<CublasLt>(task, gemm_shape(*task.field), sums);
  std::vector<std::size_t> ranked(matmul->variants());
  std::iota(ranked.begin(), ranked.end(), 0);
  ranked =
      task.arena.rank(*task.field, *matmul, {ranked, CachePolicy::warm, kShortRounds, trying(), 0});
  ranked.resize(std::min(ranked.size(), kFinalists));
  const Arena& arena = task.arena;
  const int rounds = arena.lead_in_s() > 0 ? kLoadedRounds : kLongRounds;
  ranked = task.arena.rank(*task.field, *matmul,
                           {.variants = ranked,
                            .cache = arena.cache(),
                            .rounds = rounds,
                            .request = {},
                            .heating_s = arena.heating_s(),
                            .lead_in_s = arena.lead_in_s()});
  matmul->choose(ranked.front());
  return {task.field, std::move(matmul)};
}

}  // namespace

Corner make_cublas_lt(const RivalTask& task) {
  return make(task, Sums::promoted);
}

Corner make_cublas_lt_fast(const RivalTask& task) {
  return make(task, Sums::fast);
}

}  // namespace tilewright::bench
