#include "tuner/cuda/session/answers.hpp"

#include <fmt/format.h>

#include <utility>

#include "tilewright/error.hpp"

namespace tilewright::cuda {
namespace {

constexpr std::int64_t kMostOfKernelReference = 1 << 24;

void run_reference(const ReferencePlan& reference, const Operands& operands, int device,
                   cudaStream_t stream) {
  const Kernels kernels(reference.code, reference.symbols, {&reference.launches, 1}, device);
  GuardedBuffer workspace;
  if (reference.launches.workspace_bytes > 0) {
    workspace = GuardedBuffer(reference.launches.workspace_bytes, 0);
    check(cudaMemsetAsync(workspace.data(), 0, static_cast<std::size_t>(workspace.size()), stream),
          "clear the reference's workspace");
  }
  const CallOperands call = operands.call(workspace.data());
  kernels.check_launches(reference.launches, call);
  operands.prepare(stream);
  kernels.call(reference.launches, call, stream);
  check_trial(cudaStreamSynchronize(stream), "run");
}

std::vector<Expected> from_kernel(const SessionProblem& problem, const Operands& operands,
                                  std::uint64_t seed, int device, cudaStream_t stream) {
  run_reference(problem.reference, operands, device, stream);
  std::vector<Expected> answers;
  for (std::size_t i = 0; i < problem.buffers.size(); ++i) {
    if (!operands.is_written(i)) continue;
    const PlannedBuffer& buffer = problem.buffers[i];
    answers.push_back(expected_from(
        download(operands.device(i), stream), buffer, static_cast<int>(i),
        elements_to_check(buffer.count,
                          problem.reference.reduced ? buffer.count : kMostOfKernelReference,
                          seed)));
  }
  operands.repair(stream);
  check_trial(cudaStreamSynchronize(stream), "restoring the operands");
  return answers;
}

}  // namespace

std::vector<Expected> right_answers(const SessionProblem& problem, const Operands& operands,
                                    const CheckLimits& limits, std::uint64_t seed, int device,
                                    cudaStream_t stream) {
  if (!problem.reference.given.empty()) return given_answers(problem, seed);
  if (!problem.reference.builtin.empty())
    return builtin_answers(problem, operands.host(), limits, seed);
  try {
    return from_kernel(problem, operands, seed, device, stream);
  } catch (const TrialError& error) {
    throw MachineError(fmt::format("the reference kernel of {} failed ({}): {}",
                                   problem.problem.operation, to_text(problem.problem.values),
                                   error.failure().message));
  }
}

}  // namespace tilewright::cuda
