// cublasLt with the fastest algorithm of its heuristic's whole list.
#include "tuner/cuda/libraries/cublas_lt.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "bench/peers/rivals/convert.hpp"
#include "bench/peers/rivals/cublas.hpp"

namespace tilewright::bench {
namespace {

using Sums = cuda::LtProblem::Sums;

constexpr int kAsked = 200;  // number of algorithms that are asked for
constexpr std::size_t kFinalists = 8;
constexpr int kShortRounds = 4;   // of all algorithms, warm
constexpr int kLongRounds = 16;   // of the finalists, under the run's policy
constexpr int kLoadedRounds = 4;  // the same, where each sample has a lead-in

// The library takes a bias of C's type.
cuda::LtProblem problem_of(const SweepRequest& request, Sums sums) {
  cuda::LtProblem problem = product_problem(request);
  problem.bias.reset();
  problem.sums = sums;
  return problem;
}

class CublasLt final : public VariedEntrant {
 public:
  CublasLt(const RivalTask& task, const cuda::LtProblem& problem)
      : field_(task.field),
        library_(cuda::loaded<cuda::CublasLt>(task.libraries)),
        product_(library_, problem),
        workspace_(cuda::allocate(kCublasWorkspace)),
        algorithms_(product_.algorithms(kAsked, kCublasWorkspace)) {
    const ElementType type = problem.types.a;
    if (size_of(type) == 1 && !is_integer(type))
      extra_ += problem.sums == Sums::fast ? ", fast accumulation" : ", no fast accumulation";
    if (problem.epilogue == cuda::LtProblem::Epilogue::none) return;
    extra_ += ", its own epilogue";
    has_bias_ = field_->operands().plan().size() > kBias;
    if (has_bias_) round_bias(problem.types.c);
  }

  std::size_t variants() const override { return algorithms_.size(); }
  void choose(std::size_t variant) override { chosen_ = variant; }

  void call(std::span<void* const> operands, cudaStream_t stream) override {
    cuda::LtOperands all = product_operands(*field_, operands);
    if (has_bias_) all.bias = bias_.get() != nullptr ? bias_.get() : operands[kBias];
    product_.call(all, algorithms_.at(chosen_).algorithm, workspace_.get(), kCublasWorkspace,
                  stream);
  }
  std::string how() const override {
    return fmt::format("{} algorithm {} of {}{}", library_.version(), chosen_ + 1,
                       algorithms_.size(), extra_);
  }

 private:
  // Once, before all calls, if it is not of C's type.
  void round_bias(ElementType type) {
    const ElementType given = field_->operands().plan()[kBias].type;
    if (given == type) return;
    const std::vector<std::uint8_t> rounded =
        converted(field_->operands().before()[kBias], given, type);
    bias_ = cuda::allocate(static_cast<std::int64_t>(rounded.size()));
    cuda::check(cudaMemcpy(bias_.get(), rounded.data(), rounded.size(), cudaMemcpyHostToDevice),
                "copy the bias to the device");
    extra_ += " with a bias of " + to_text(type);
  }

  std::shared_ptr<const Field> field_;
  const cuda::CublasLt& library_;
  cuda::LtProduct product_;
  cuda::DeviceMemory workspace_;
  bool has_bias_ = false;
  cuda::DeviceMemory bias_;  // of C's type, where the problem's is not
  std::vector<cuda::LtHeuristicResult> algorithms_;
  std::size_t chosen_ = 0;
  std::string extra_;  // of how()
};

// All algorithms beside each other for a short time, warm; then the best few for as long as a pair
// of the tournament, under its policy.
Corner make(const RivalTask& task, Sums sums) {
  auto matmul = std::make_unique<CublasLt>(task, problem_of(task.request, sums));
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
