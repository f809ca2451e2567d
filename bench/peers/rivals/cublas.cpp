// cublasGemmEx and its strided batches; cuBLAS chooses the algorithm.
#include "bench/peers/rivals/cublas.hpp"

#include <fmt/format.h>

#include <optional>

#include "bench/peers/rivals/device_code.hpp"
#include "bench/peers/rivals/kernel_texts.hpp"
#include "tuner/cuda/libraries/cublas.hpp"

namespace tilewright::bench {
namespace {

class Cublas final : public Entrant {
 public:
  explicit Cublas(const RivalTask& task)
      : field_(task.field),
        problem_(product_problem(task.request)),
        library_(cuda::loaded<cuda::Cublas>(task.libraries)),
        product_(library_, problem_),
        workspace_(cuda::allocate(kCublasWorkspace)) {
    if (problem_.epilogue == cuda::LtProblem::Epilogue::none) return;
    if (problem_.epilogue != cuda::LtProblem::Epilogue::bias_gelu || problem_.n % 4 != 0 ||
        problem_.ldc != problem_.n || problem_.batch > 1 ||
        problem_.types.c != ElementType::float32)
      throw CannotCompete(
          "the kernel for bias and GELU takes one dense matrix of vectors of four float32");
    epilogue_.emplace(task.arena.compile_own(kBiasGeluKernel, {"bias_gelu"}));
  }

  void call(std::span<void* const> operands, cudaStream_t stream) override {
    product_.call(product_operands(*field_, operands), workspace_.get(), kCublasWorkspace, stream);
    if (!epilogue_) return;
    constexpr unsigned int kThreads = 256;
    const std::int64_t vectors = problem_.m * problem_.n / 4;
    epilogue_->launch("bias_gelu",
                      dim3(static_cast<unsigned int>((vectors + kThreads - 1) / kThreads)),
                      dim3(kThreads), stream, operands[kC], operands[kBias],
                      static_cast<int>(problem_.n), static_cast<long long>(vectors));
  }

  std::string how() const override {
    return fmt::format("{} {}{}", library_.version(),
                       problem_.batch > 1 ? "cublasGemmStridedBatchedEx" : "cublasGemmEx",
                       epilogue_ ? " and a kernel for bias and GELU" : "");
  }

 private:
  std::shared_ptr<const Field> field_;
  cuda::LtProblem problem_;
  const cuda::Cublas& library_;
  cuda::CublasProduct product_;
  cuda::DeviceMemory workspace_;
  std::optional<DeviceCode> epilogue_;
};

}  // namespace

Corner make_cublas(const RivalTask& task) {
  return {task.field, std::make_unique<Cublas>(task)};
}

}  // namespace tilewright::bench
