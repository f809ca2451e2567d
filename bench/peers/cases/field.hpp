#pragma once

#include <optional>
#include <vector>

#include "bench/peers/cases/entrant.hpp"
#include "tuner/backend/evaluator.hpp"
#include "tuner/cuda/session/operands.hpp"
#include "tuner/verify/checked_problem.hpp"

namespace tilewright::bench {

struct FieldOptions {
  int device = 0;
  CachePolicy cache = CachePolicy::cold;
  std::uint64_t seed = 1;
  cudaStream_t stream = nullptr;  // must outlive the field
};

// A problem's operands on the GPU, in as many sets as the policy rotates, and its right answers.
class Field {
 public:
  // Throws InputError if the device has too little memory.
  Field(SessionProblem problem, const FieldOptions& options);

  const Problem& problem() const { return problem_.problem; }
  const cuda::Operands& operands() const { return operands_; }
  const cuda::OperandSets& sets() const { return sets_; }
  // Of the buffers of a call, in the set whose turn it is; null where there is no buffer.
  std::vector<void*> pointers(int call = 0) const;

  // Runs the entrant once on poisoned outputs and compares them with float64. The result's message
  // says what is wrong. Throws what the entrant throws.
  OutputComparison check(Entrant& entrant) const;

 private:
  const RightAnswers& answers() const;

  SessionProblem problem_;
  FieldOptions options_;
  cuda::Operands operands_;
  cuda::OperandSets sets_;
  mutable std::optional<RightAnswers> answers_;  // computed for the first check
};

}  // namespace tilewright::bench
