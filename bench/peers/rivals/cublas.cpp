//
// cublasGemmEx and its strided batches; cuBLAS chooses the algorithm. Prototypes are from
// cublas_api.h of CUDA 13.0.
#include "bench/peers/rivals/cublas.hpp"

#include <fmt/format.h>

#include <optional>

#include "bench/peers/cases/gemm_shape.hpp"
#include "bench/peers/rivals/device_code.hpp"
#include "bench/peers/rivals/kernel_texts.hpp"
#include "bench/peers/rivals/rivals.hpp"
#include "bench/peers/rivals/shared_library.hpp"

namespace tilewright::bench {
namespace {

using cuda::as_operation;

constexpr int kDefaultAlgorithm = -1;  // CUBLAS_GEMM_DEFAULT

using Handle = void*;
using Gemm = int(Handle, int, int, int, int, int, const void*, const void*, int, int, long long,
                 const void*, int, int, long long, const void*, void*, int, int, long long, int,
                 int, int);
using PlainGemm = int(Handle, int, int, int, int, int, const void*, const void*, int, int,
                      const void*, int, int, const void*, void*, int, int, int, int);

class Cublas final : public Entrant {
 public:
  Cublas(const RivalTask& task, const GemmShape& shape)
      : shape_(shape),
        types_(cublas_types(shape)),
        library_({"libcublas.so.13", "libcublas.so.12"}, task.libraries),
        destroy_(library_.find<int(Handle)>("cublasDestroy_v2")),
        workspace_(cuda::allocate(kCublasWorkspace)) {
    require_success(library_.find<int(Handle*)>("cublasCreate_v2")(&handle_), "cublasCreate");
    require_success(library_.find<int(Handle, cudaStream_t)>("cublasSetStream_v2")(
                        handle_, task.arena.stream()),
                    "cublasSetStream");
    require_success(library_.find<int(Handle, void*, std::size_t)>("cublasSetWorkspace_v2")(
                        handle_, workspace_.get(), kCublasWorkspace),
                    "cublasSetWorkspace");
    if (shape.bias_gelu) {
      if (shape.n % 4 != 0 || shape.ldc != shape.n || shape.batch > 1 || types_.c != CUDA_R_32F)
        throw CannotCompete(
            "the kernel after it takes one dense matrix of vectors of four float32");
      epilogue_.emplace(task.arena.compile_own(kBiasGeluKernel, {"bias_gelu"}));
    }
    plain_ = library_.find<PlainGemm>("cublasGemmEx");
    batched_ = library_.find<Gemm>("cublasGemmStridedBatchedEx");
  }
  Cublas(const Cublas&) = delete;
  Cublas& operator=(const Cublas&) = delete;
  ~Cublas() override {
    if (handle_ != nullptr) destroy_(handle_);
  }

  // Ignores the stream, because the handle has the arena's only one.
  void call(std::span<void* const> operands, cudaStream_t stream) override {
    if (shape_.batch > 1) return call_batched(operands);
    call_plain(operands);
    if (!epilogue_) return;
    constexpr unsigned int kThreads = 256;
    const std::int64_t vectors = shape_.m * shape_.n / 4;
    epilogue_->launch("bias_gelu",
                      dim3(static_cast<unsigned int>((vectors + kThreads - 1) / kThreads)),
                      dim3(kThreads), stream, operands[kC], operands[kBias], as_int(shape_.n),
                      static_cast<long long>(vectors));
  }

  std::string how() const override {
    int version = 0;
    library_.find<int(Handle, int*)>("cublasGetVersion_v2")(handle_, &version);
    return fmt::format("cuBLAS {}.{}.{} {}{}", version / 10000, version / 100 % 100, version % 100,
                       shape_.batch > 1 ? "cublasGemmStridedBatchedEx" : "cublasGemmEx",
                       epilogue_ ? " and a kernel for bias and GELU" : "");
  }

 private:
  static int as_int(std::int64_t number) { return static_cast<int>(number); }

  void call_plain(std::span<void* const> operands) {
    require_success(
        plain_(handle_, as_operation(shape_.transpose_b), as_operation(shape_.transpose_a),
               as_int(shape_.n), as_int(shape_.m), as_int(shape_.k), &shape_.alpha, operands[kB],
               types_.b, as_int(shape_.ldb), operands[kA], types_.a, as_int(shape_.lda),
               &shape_.beta, operands[kC], types_.c, as_int(shape_.ldc), types_.compute,
               kDefaultAlgorithm),
        "cublasGemmEx");
  }

  void call_batched(std::span<void* const> operands) {
    require_success(
        batched_(handle_, as_operation(shape_.transpose_b), as_operation(shape_.transpose_a),
                 as_int(shape_.n), as_int(shape_.m), as_int(shape_.k), &shape_.alpha, operands[kB],
                 types_.b, as_int(shape_.ldb), shape_.stride_b, operands[kA], types_.a,
                 as_int(shape_.lda), shape_.stride_a, &shape_.beta, operands[kC], types_.c,
                 as_int(shape_.ldc), shape_.stride_c, as_int(shape_.batch), types_.compute,
                 kDefaultAlgorithm),
        "cublasGemmStridedBatchedEx");
  }

  GemmShape shape_;
  cuda::CublasTypes types_;
  SharedLibrary library_;
  int (*destroy_)(Handle);
  cuda::DeviceMemory workspace_;
  Handle handle_ = nullptr;
  PlainGemm* plain_ = nullptr;
  Gemm* batched_ = nullptr;
  std::optional<DeviceCode> epilogue_;
};

}  // namespace

Corner make_cublas(const RivalTask& task) {
  return {task.field, std::make_unique<Cublas>(task, gemm_shape(*task.field))};
}

}  // namespace tilewright::bench
