// Prototypes are from cublas_api.h of CUDA 13.0.
#include "tuner/cuda/libraries/cublas.hpp"

#include <fmt/format.h>

#include <limits>

namespace tilewright::cuda {
namespace {

constexpr int kDefaultAlgorithm = -1;  // CUBLAS_GEMM_DEFAULT

int as_int(std::int64_t number) {
  return static_cast<int>(number);
}

}  // namespace

Cublas::Cublas(const std::vector<std::filesystem::path>& folders)
    : StatusLibrary(
          {{"libcublas.so.13", "libcublas.so.12"}, "cublasGetStatusString", "cublasCreate_v2"},
          folders) {}

std::string Cublas::version() const {
  std::array<int, 3> parts = {};  // libraryPropertyType_t: major, minor, patch
  for (int i = 0; i < 3; ++i)
    check(get_property(i, &parts.at(static_cast<std::size_t>(i))), "cublasGetProperty");
  return fmt::format("cuBLAS {}.{}.{}", parts[0], parts[1], parts[2]);
}

CublasProduct::CublasProduct(const Cublas& library, const LtProblem& problem)
    : library_(library),
      problem_(problem),
      types_(cublas_types(problem.types)),
      handle_(library.handle()) {
  for (const std::int64_t size :
       {problem.m, problem.n, problem.k, problem.batch, problem.lda, problem.ldb, problem.ldc})
    if (size > std::numeric_limits<int>::max())
      throw LibraryError(fmt::format("a size of {} does not fit 32 bits", size));
}

void CublasProduct::call(const LtOperands& operands, void* workspace, std::size_t workspace_bytes,
                         cudaStream_t stream) const {
  const LtProblem& p = problem_;
  const int transpose_b = as_operation(p.transpose_b), transpose_a = as_operation(p.transpose_a);
  const int n = as_int(p.n), m = as_int(p.m), k = as_int(p.k);
  const int ldb = as_int(p.ldb), lda = as_int(p.lda), ldc = as_int(p.ldc);
  const CublasFactor alpha(operands.alpha, p.types.factor, types_);
  const CublasFactor beta(operands.beta, p.types.factor, types_);
  const std::lock_guard lock(handle_.mutex);
  library_.check(library_.set_stream(handle_.it, stream), "cublasSetStream");
  library_.check(library_.set_workspace(handle_.it, workspace, workspace_bytes),
                 "cublasSetWorkspace");
  if (p.batch == 1)
    library_.check(library_.gemm(handle_.it, transpose_b, transpose_a, n, m, k, alpha.get(),
                                 operands.b, types_.b, ldb, operands.a, types_.a, lda, beta.get(),
                                 operands.c, types_.c, ldc, types_.compute, kDefaultAlgorithm),
                   "cublasGemmEx");
  else
    library_.check(
        library_.batched_gemm(handle_.it, transpose_b, transpose_a, n, m, k, alpha.get(),
                              operands.b, types_.b, ldb, p.stride_b, operands.a, types_.a, lda,
                              p.stride_a, beta.get(), operands.c, types_.c, ldc, p.stride_c,
                              as_int(p.batch), types_.compute, kDefaultAlgorithm),
        "cublasGemmStridedBatchedEx");
}

}  // namespace tilewright::cuda
