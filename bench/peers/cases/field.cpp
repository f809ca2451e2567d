#include "bench/peers/cases/field.hpp"

#include <algorithm>
#include <utility>

#include "tuner/cuda/session/verifier.hpp"
#include "tuner/measure/sampling.hpp"

namespace tilewright::bench {
namespace {

int sets_for(const cuda::Operands& operands, const FieldOptions& options) {
  return operand_sets(
      options.cache, operands.device_bytes(),
      cuda::device_attribute(cudaDevAttrL2CacheSize, options.device, "ask for the L2's size"));
}

}  // namespace

Field::Field(SessionProblem problem, const FieldOptions& options)
    : problem_(std::move(problem)),
      options_(options),
      operands_(problem_.buffers, options.seed, kGuardBytes, options.stream),
      sets_(operands_, sets_for(operands_, options), options.stream) {}

std::vector<void*> Field::pointers(int call) const {
  std::vector<void*> pointers;
  for (const CallArgument& argument : sets_.for_call(call)) pointers.push_back(argument.memory);
  return pointers;
}

const RightAnswers& Field::answers() const {
  SessionPlan plan;
  plan.seed = options_.seed;
  if (!answers_)
    answers_ =
        right_answers(problem_, operands_, plan, cuda::RunHelper{options_.device, options_.stream});
  return *answers_;
}

OutputComparison Field::check(Entrant& entrant) const {
  const RightAnswers& right = answers();
  operands_.prepare();
  entrant.call(pointers(), options_.stream);
  cuda::check_trial(cudaStreamSynchronize(options_.stream), "running");
  OutputComparison all;
  for (const Expected& answer : right.outputs) {
    const auto index = static_cast<std::size_t>(answer.argument);
    const std::vector<std::uint8_t> output =
        cuda::download(operands_.device(index), options_.stream);
    const OutputComparison one =
        compare_output(output, operands_.plan()[index], answer, right.comparison);
    all.checked += one.checked;
    all.worst_error = std::max(all.worst_error, one.worst_error);
    all.worst_ratio = std::max(all.worst_ratio, one.worst_ratio);
    if (all.message.empty()) all.message = one.message;
  }
  return all;
}

}  // namespace tilewright::bench
