// cublasLt with the fastest algorithm of its heuristic's whole list.
#include "tuner/cuda/libraries/cublas_lt.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "bench/peers/cases/gemm_shape.hpp"
#include "bench/peers/rivals/convert.hpp"
#include "bench/peers/rivals/cublas.hpp"
#include "bench/peers/rivals/rivals.hpp"
#include "bench/peers/rivals/shared_library.hpp"

namespace tilewright::bench {
namespace {

using Sums = cuda::LtProblem::Sums;

constexpr int kAsked = 200;  // number of algorithms that are asked for
constexpr std::size_t kFinalists = 8;
constexpr int kShortRounds = 4;   // of all algorithms, warm
constexpr int kLongRounds = 16;   // of the finalists, under the run's policy
constexpr int kLoadedRounds = 4;  // the same, where each sample has a lead-in

cuda::LtProblem problem_of(const GemmShape& shape, Sums sums) {
  using Epilogue = cuda::LtProblem::Epilogue;
  cuda::LtProblem problem = product_problem(shape);
  problem.epilogue = shape.bias_gelu ? Epilogue::gelu_bias : Epilogue::none;
  problem.sums = sums;
  return problem;
}

class CublasLt final : public VariedEntrant {
 public:
  CublasLt(const RivalTask& task, const GemmShape& shape, Sums sums)
      : shape_(shape),
        library_(cuda::cublas_lt(task.libraries)),
        product_(library_, problem_of(shape, sums)),
        workspace_(cuda::allocate(kCublasWorkspace)),
        algorithms_(product_.algorithms(kAsked, kCublasWorkspace)) {
    if (size_of(shape.type_a) == 1 && !is_integer(shape.type_a))
      extra_ += sums == Sums::fast ? ", fast accumulation" : ", no fast accumulation";
    if (shape_.bias_gelu) add_bias(*task.field);
  }

  std::size_t variants() const override { return algorithms_.size(); }
  void choose(std::size_t variant) override { chosen_ = variant; }

  void call(std::span<void* const> operands, cudaStream_t stream) override {
    or_cannot_compete([&] {
      if (shape_.bias_gelu && bias_.get() == nullptr) product_.set_bias(operands[kBias]);
      product_.call({operands[kA], operands[kB], operands[kC], &shape_.alpha, &shape_.beta},
                    algorithms_.at(chosen_).algorithm, workspace_.get(), kCublasWorkspace, stream);
    });
  }
  std::string how() const override {
    return fmt::format("{} algorithm {} of {}{}", library_.version(), chosen_ + 1,
                       algorithms_.size(), extra_);
  }

 private:
  // The library takes a bias of C's type, so one of another type is rounded once, before all calls.
  void add_bias(const Field& field) {
    extra_ += ", its own epilogue";
    const ElementType given = field.operands().plan()[kBias].type;
    if (given == shape_.type_c) return;
    const std::vector<std::uint8_t> rounded =
        converted(field.operands().before()[kBias], given, shape_.type_c);
    bias_ = cuda::allocate(static_cast<std::int64_t>(rounded.size()));
    cuda::check(cudaMemcpy(bias_.get(), rounded.data(), rounded.size(), cudaMemcpyHostToDevice),
                "copy the bias to the device");
    product_.set_bias(bias_.get());
    extra_ += " with a bias of " + to_text(shape_.type_c);
  }

  GemmShape shape_;
  const cuda::CublasLt& library_;
  cuda::LtProduct product_;
  cuda::DeviceMemory workspace_;
  cuda::DeviceMemory bias_;  // of C's type, where the problem's is not
  std::vector<cuda::LtHeuristicResult> algorithms_;
  std::size_t chosen_ = 0;
  std::string extra_;  // of how()
};

// All algorithms beside each other for a short time, warm; then the best few for as long as a pair
// of the tournament, under its policy.
Corner make(const RivalTask& task, Sums sums) {
  auto matmul = or_cannot_compete(
      [&] { return std::make_unique<CublasLt>(task, gemm_shape(*task.field), sums); });
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
