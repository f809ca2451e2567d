// Constants are from cublasLt.h of CUDA 13.0.
#include "tuner/cuda/libraries/cublas_lt.hpp"

#include <fmt/format.h>

#include <mutex>
#include <optional>

namespace tilewright::cuda {
namespace {

constexpr int kTransA = 3;         // CUBLASLT_MATMUL_DESC_TRANSA
constexpr int kTransB = 4;         // CUBLASLT_MATMUL_DESC_TRANSB
constexpr int kEpilogue = 7;       // CUBLASLT_MATMUL_DESC_EPILOGUE
constexpr int kBiasPointer = 8;    // CUBLASLT_MATMUL_DESC_BIAS_POINTER
constexpr int kBatchCount = 5;     // CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT
constexpr int kBatchStride = 6;    // CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET
constexpr int kScaleA = 17;        // CUBLASLT_MATMUL_DESC_A_SCALE_POINTER
constexpr int kScaleB = 18;        // CUBLASLT_MATMUL_DESC_B_SCALE_POINTER
constexpr int kFastSums = 25;      // CUBLASLT_MATMUL_DESC_FAST_ACCUM
constexpr int kBiasType = 26;      // CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE
constexpr int kMostWorkspace = 1;  // CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES

constexpr const char* kAlgorithm = "ALGORITHM";

// cublasLtMatmulAlgoConfigAttributes_t from 1 on; ALGORITHM is 0 and cannot be set.
struct LtAttribute {
  const char* name;
  int number;
  std::size_t bytes;
};
constexpr auto kLtAttributes = std::to_array<LtAttribute>({{"TILE", 1, 4},
                                                           {"SPLIT_K", 2, 4},
                                                           {"REDUCTION", 3, 4},
                                                           {"SWIZZLE", 4, 4},
                                                           {"CUSTOM", 5, 4},
                                                           {"STAGES", 6, 4},
                                                           {"INNER_SHAPE", 7, 2},
                                                           {"CLUSTER_SHAPE", 8, 2}});

bool is_float8(ElementType type) {
  return size_of(type) == 1 && !is_integer(type);
}

}  // namespace

CublasLt::CublasLt(const std::vector<std::filesystem::path>& folders)
    : StatusLibrary(
          {{"libcublasLt.so.13", "libcublasLt.so.12"}, "cublasLtGetStatusString", "cublasLtCreate"},
          folders) {}

std::string CublasLt::version() const {
  const std::size_t version = get_version();
  return fmt::format("cublasLt {}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

LtProduct::LtProduct(const CublasLt& library, const LtProblem& problem)
    : library_(library),
      types_(cublas_types(problem.types)),
      factor_(problem.types.factor),
      handle_(library.handle().it) {
  library_.check(library_.make_operation(operation_.out(), types_.compute, types_.scale),
                 "cublasLtMatmulDescCreate");
  set(kTransA, as_operation(problem.transpose_b));
  set(kTransB, as_operation(problem.transpose_a));
  if (problem.epilogue != LtProblem::Epilogue::none)
    set(kEpilogue, static_cast<std::int32_t>(problem.epilogue));
  if (problem.bias) set(kBiasType, static_cast<std::int32_t>(cublas_type(*problem.bias)));
  if (is_float8(problem.types.a)) scale_by_one(problem.sums);
  lay_out(b_, types_.b,
          {problem.transpose_b ? problem.k : problem.n, problem.transpose_b ? problem.n : problem.k,
           problem.ldb, problem.stride_b},
          problem.batch);
  lay_out(a_, types_.a,
          {problem.transpose_a ? problem.m : problem.k, problem.transpose_a ? problem.k : problem.m,
           problem.lda, problem.stride_a},
          problem.batch);
  lay_out(c_, types_.c, {problem.n, problem.m, problem.ldc, problem.stride_c}, problem.batch);
}

void LtProduct::lay_out(LibraryDescriptor& layout, int type, const Stored& matrix,
                        std::int64_t batch) const {
  library_.check(library_.make_layout(layout.out(), type, static_cast<std::uint64_t>(matrix.rows),
                                      static_cast<std::uint64_t>(matrix.columns), matrix.leading),
                 "cublasLtMatrixLayoutCreate");
  if (batch == 1) return;
  const auto count = static_cast<std::int32_t>(batch);
  constexpr const char* kCall = "cublasLtMatrixLayoutSetAttribute";
  library_.check(library_.set_layout(layout.get(), kBatchCount, &count, sizeof count), kCall);
  library_.check(
      library_.set_layout(layout.get(), kBatchStride, &matrix.stride, sizeof matrix.stride), kCall);
}

template <class Value>
void LtProduct::set(int attribute, const Value& value) const {
  library_.check(library_.set_operation(operation_.get(), attribute, &value, sizeof value),
                 "cublasLtMatmulDescSetAttribute");
}

// Factors on the device for matrices of float8, which are 1 because alpha is the problem's factor.
void LtProduct::scale_by_one(LtProblem::Sums sums) {
  constexpr float kOne = 1;
  one_ = allocate(sizeof kOne);
  cuda::check(cudaMemcpy(one_.get(), &kOne, sizeof kOne, cudaMemcpyHostToDevice),
              "copy a factor to the device");
  const void* const factor = one_.get();
  set(kScaleA, factor);
  set(kScaleB, factor);
  set(kFastSums, static_cast<std::int8_t>(sums == LtProblem::Sums::fast));
}

std::vector<LtHeuristicResult> LtProduct::algorithms(int most, std::size_t workspace_bytes) const {
  LibraryDescriptor preference(library_.end_preference);
  library_.check(library_.make_preference(preference.out()), "cublasLtMatmulPreferenceCreate");
  library_.check(library_.set_preference(preference.get(), kMostWorkspace, &workspace_bytes,
                                         sizeof workspace_bytes),
                 "cublasLtMatmulPreferenceSetAttribute");
  std::vector<LtHeuristicResult> results(static_cast<std::size_t>(most));
  int count = 0;
  library_.check(library_.heuristic(handle_, operation_.get(), b_.get(), a_.get(), c_.get(),
                                    c_.get(), preference.get(), most, results.data(), &count),
                 "cublasLtMatmulAlgoGetHeuristic");
  results.resize(static_cast<std::size_t>(count));
  std::erase_if(results, [](const LtHeuristicResult& result) { return result.state != 0; });
  return results;
}

LtNumbers LtProduct::describe(const LtAlgorithm& algorithm) const {
  LtNumbers numbers;
  const auto get = [&](const char* name, int attribute, std::size_t bytes) {
    std::int32_t value = 0;  // little-endian, so a number of 2 bytes is right as well
    std::size_t written = 0;
    library_.check(library_.get_algorithm(&algorithm, attribute, &value, bytes, &written),
                   "cublasLtMatmulAlgoConfigGetAttribute");
    numbers[name] = value;
  };
  get(kAlgorithm, 0, sizeof(std::int32_t));
  for (const LtAttribute& one : kLtAttributes) get(one.name, one.number, one.bytes);
  return numbers;
}

LtAlgorithm LtProduct::make(const LtNumbers& numbers) const {
  const auto number = [&](const char* name) {
    const auto found = numbers.find(name);
    if (found == numbers.end()) throw LibraryError(fmt::format("{} is not given", name));
    return static_cast<std::int32_t>(found->second);
  };
  LtAlgorithm algorithm;
  library_.check(library_.make_algorithm(handle_, types_.compute, types_.scale, types_.b, types_.a,
                                         types_.c, types_.c, number(kAlgorithm), &algorithm),
                 "cublasLtMatmulAlgoInit");
  for (const LtAttribute& one : kLtAttributes) {
    const std::int32_t value = number(one.name);
    library_.check(library_.set_algorithm(&algorithm, one.number, &value, one.bytes),
                   "cublasLtMatmulAlgoConfigSetAttribute");
  }
  return algorithm;
}

std::size_t LtProduct::check(const LtAlgorithm& algorithm) const {
  LtHeuristicResult result;
  library_.check(library_.check_algorithm(handle_, operation_.get(), b_.get(), a_.get(), c_.get(),
                                          c_.get(), &algorithm, &result),
                 "cublasLtMatmulAlgoCheck");
  return result.workspace_bytes;
}

void LtProduct::call(const LtOperands& operands, const LtAlgorithm& algorithm, void* workspace,
                     std::size_t workspace_bytes, cudaStream_t stream) const {
  const CublasFactor alpha(operands.alpha, factor_, types_);
  const CublasFactor beta(operands.beta, factor_, types_);
  std::unique_lock<std::mutex> lock;
  if (operands.bias != nullptr) {
    lock = std::unique_lock(bias_mutex_);
    set(kBiasPointer, operands.bias);
  }
  library_.check(library_.matmul(handle_, operation_.get(), alpha.get(), operands.b, b_.get(),
                                 operands.a, a_.get(), beta.get(), operands.c, c_.get(), operands.c,
                                 c_.get(), &algorithm, workspace, workspace_bytes, stream),
                 "cublasLtMatmul");
}

}  // namespace tilewright::cuda
