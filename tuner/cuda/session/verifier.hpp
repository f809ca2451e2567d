#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "tuner/backend/evaluator.hpp"
#include "tuner/cuda/launch/kernels.hpp"
#include "tuner/cuda/launch/textures.hpp"
#include "tuner/cuda/session/operands.hpp"
#include "tuner/cuda/session/service_kernels.hpp"
#include "tuner/verify/checked_problem.hpp"

namespace tilewright::cuda {

// Runs kernels that are not under trial, as run_fills() and right_answers() want it.
struct RunHelper {
  int device = 0;
  cudaStream_t stream = nullptr;
  void operator()(const Operands& operands, std::span<const std::uint8_t> code,
                  const std::map<std::string, std::string>& symbols,
                  const LaunchPlan& launches) const;
};

// What a loaded configuration does for one problem. Owns nothing.
struct LoadedCall {
  const LaunchPlan& plan;
  const Kernels& kernels;
  const Textures& textures;
  const GuardedBuffer& workspace;
  const GuardedBuffer& prepared;
};

// Runs loaded kernels on problems and checks what they left in memory. Every failure is a
// TrialError. Afterwards the problem's operands are restored, unless the device is lost.
class Verifier {
 public:
  // `guard_bytes` is the size of the guard zone on each side of every buffer. With `kernels`,
  // checksums find changed inputs; without (null), the inputs are downloaded after each run. All
  // that is passed must outlive the verifier. The inputs must now be as they should be after each
  // run.
  Verifier(std::span<const CheckedProblem<Operands>> problems, std::int64_t guard_bytes,
           const ServiceKernels* kernels, cudaStream_t stream);

  // Checks one run on problems[number]. Adds to `sum`.
  void check(std::size_t number, const LoadedCall& loaded, Verification& sum);

 private:
  // What a run left in memory. Empty for buffers that it may not write.
  struct Download {
    std::vector<GuardZone> guards;
    std::vector<std::span<const std::uint8_t>> buffers;  // by argument
  };

  // Before calls, of which none changes what was prepared.
  void prepare_input(std::size_t number, const LoadedCall& loaded) const;
  void call_and_judge(std::size_t number, const LoadedCall& loaded, Verification& sum);
  // Checksums on the device, by argument; 0 for what is not an input. Waits for the stream.
  std::vector<std::uint64_t> input_sums(const Operands& operands) const;
  void judge_inputs(std::size_t number) const;
  Download collect(const Operands& operands, const LoadedCall& loaded);
  std::span<const std::uint8_t> fetch(const std::uint8_t* device, std::int64_t bytes);
  void fetch_guards(const GuardedBuffer& buffer, const std::string& name,
                    std::vector<GuardZone>& guards);

  std::span<const CheckedProblem<Operands>> problems_;
  cudaStream_t stream_;
  StagingArea staging_;
  const ServiceKernels* kernels_;  // null: inputs are downloaded
  DeviceMemory device_sums_;
  std::vector<std::vector<std::uint64_t>> sums_;  // of the inputs, by problem
};

}  // namespace tilewright::cuda
