// cublasGemmEx and its strided batches; cuBLAS chooses the algorithm.
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

class Cublas final : public Entrant {
 public:
  Cublas(const RivalTask& task, const GemmShape& shape)
      : shape_(shape),
        library_(cuda::cublas(task.libraries)),
        product_(library_, product_problem(shape)),
        workspace_(cuda::allocate(kCublasWorkspace)) {
    if (!shape.bias_gelu) return;
    if (shape.n % 4 != 0 || shape.ldc != shape.n || shape.batch > 1 ||
        shape.type_c != ElementType::float32)
      throw CannotCompete("the kernel after it takes one dense matrix of vectors of four float32");
    epilogue_.emplace(task.arena.compile_own(kBiasGeluKernel, {"bias_gelu"}));
  }

  void call(std::span<void* const> operands, cudaStream_t stream) override {
    or_cannot_compete([&] {
      product_.call({operands[kA], operands[kB], operands[kC], &shape_.alpha, &shape_.beta},
                    workspace_.get(), kCublasWorkspace, stream);
    });
    if (!epilogue_) return;
    constexpr unsigned int kThreads = 256;
    const std::int64_t vectors = shape_.m * shape_.n / 4;
    epilogue_->launch("bias_gelu",
                      dim3(static_cast<unsigned int>((vectors + kThreads - 1) / kThreads)),
                      dim3(kThreads), stream, operands[kC], operands[kBias],
                      static_cast<int>(shape_.n), static_cast<long long>(vectors));
  }

  std::string how() const override {
    return fmt::format("{} {}{}", library_.version(),
                       shape_.batch > 1 ? "cublasGemmStridedBatchedEx" : "cublasGemmEx",
                       epilogue_ ? " and a kernel for bias and GELU" : "");
  }

 private:
  GemmShape shape_;
  const cuda::Cublas& library_;
  cuda::CublasProduct product_;
  cuda::DeviceMemory workspace_;
  std::optional<DeviceCode> epilogue_;
};

}  // namespace

Corner make_cublas(const RivalTask& task) {
  return or_cannot_compete([&] {
    return Corner{task.field, std::make_unique<Cublas>(task, gemm_shape(*task.field))};
  });
}

}  // namespace tilewright::bench
