#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tuner/backend/evaluator.hpp"
#include "tuner/cuda/launch/textures.hpp"
#include "tuner/cuda/session/operands.hpp"
#include "tuner/cuda/session/service_kernels.hpp"
#include "tuner/verify/compare.hpp"

namespace tilewright::cuda {

// A problem with everything that its answers are checked against.
struct CheckedProblem {
  std::string label;  // for messages: " on M=37 N=53"; empty for the tuned problem
  ReferencePlan rules;
  Operands operands;
  std::vector<Expected> answers;
};

// Runs the kernels that make contents of arguments. Throws MachineError if one of them fails.
void run_fills(const SessionProblem& problem, Operands& operands, int device, cudaStream_t stream);

// Right answers for every output of a problem, in the order of its arguments. They come from given
// files, from the built-in reference on the host, or from one run of the definition's reference
// kernel. The built-in reference computes as many elements as the limits allow, the kernel at most
// 2²⁴ of each output; where outputs are compared reduced, the kernel computes all.
// Throws MachineError if the reference kernel fails.
std::vector<Expected> right_answers(const SessionProblem& problem, const Operands& operands,
                                    const CheckLimits& limits, std::uint64_t seed, int device,
                                    cudaStream_t stream);

// What a loaded configuration does for one problem. Owns nothing.
struct LoadedCall {
  const LaunchPlan& plan;
  const Kernels& kernels;
  const Textures& textures;
  const GuardedBuffer& workspace;
};

// Runs loaded kernels on problems and checks what they left in memory. Every failure is a
// TrialError. Afterwards the problem's operands are restored, unless the device is lost.
class Verifier {
 public:
  // `guard_bytes` is the size of the guard zone on each side of every buffer. With `kernels`,
  // checksums find changed inputs; without (null), the inputs are downloaded after each run. All
  // that is passed must outlive the verifier. The inputs must now be as they should be after each
  // run.
  Verifier(std::span<const CheckedProblem> problems, std::int64_t guard_bytes,
           const ServiceKernels* kernels, cudaStream_t stream);

  // Checks one run on problems[number]. Adds to `sum`.
  void check(std::size_t number, const LoadedCall& loaded, Verification& sum);

 private:
  struct Download;
  struct Guard;

  void call_and_judge(std::size_t number, const LoadedCall& loaded, Verification& sum);
  // Checksums on the device, by argument; 0 for what is not an input. Waits for the stream.
  std::vector<std::uint64_t> input_sums(const Operands& operands) const;
  void judge_inputs(std::size_t number) const;
  void judge_input(const CheckedProblem& problem, std::size_t argument) const;
  Download collect(const CheckedProblem& problem, const GuardedBuffer& workspace);
  std::span<const std::uint8_t> fetch(const std::uint8_t* device, std::int64_t bytes);
  void fetch_guards(const GuardedBuffer& buffer, const std::string& name,
                    std::vector<Guard>& guards);

  std::span<const CheckedProblem> problems_;
  cudaStream_t stream_;
  StagingArea staging_;
  const ServiceKernels* kernels_;  // null: inputs are downloaded
  DeviceMemory device_sums_;
  std::vector<std::vector<std::uint64_t>> sums_;  // of the inputs, by problem
};

}  // namespace tilewright::cuda
