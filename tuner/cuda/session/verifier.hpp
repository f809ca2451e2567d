// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tuner/backend/evaluator.hpp"
#include "tuner/cuda/session/checksums.hpp"
#include "tuner/cuda/session/operands.hpp"
#include "tuner/verify/compare.hpp"

namespace tilewright::cuda {

// A problem with all that its answers are judged by.
struct CheckedProblem {
  std::string label;  // for messages: " on M=37 N=53"; empty for the tuned problem
  ReferencePlan rules;
  Operands operands;
  std::vector<Expected> answers;
};

// Runs loaded kernels on problems and judges what they left in memory. Every failure is a
// TrialError, after which the problem is as it was unless the device is lost.
class Verifier {
 public:
  // `guard_bytes` stand on each side of every buffer. With `kernels` inputs are watched by
  // checksums, without (null) they are downloaded after each run. What is passed must outlive
  // the verifier, and the inputs be now as they shall be after each run.
  Verifier(std::span<const CheckedProblem> problems, std::int64_t guard_bytes,
           const ServiceKernels* kernels, cudaStream_t stream);

  // On the problem of that number. Adds to `sum`.
  void check(std::size_t number, const LaunchPlan& plan, const Kernels& kernels,
             const GuardedBuffer& workspace, Verification& sum);

 private:
  struct Download;
  struct Guard;

  void run(const CheckedProblem& problem, const LaunchPlan& plan, const Kernels& kernels,
           const GuardedBuffer& workspace) const;
  void judge_inputs(std::size_t number) const;
  void judge_input(const CheckedProblem& problem, std::size_t argument) const;
  Download collect(const CheckedProblem& problem, const GuardedBuffer& workspace);
  std::span<const std::uint8_t> fetch(const std::uint8_t* device, std::int64_t bytes);
  void fetch_guards(const GuardedBuffer& buffer, const std::string& name,
                    std::vector<Guard>& guards);

  std::span<const CheckedProblem> problems_;
  cudaStream_t stream_;
  StagingArea staging_;
  std::optional<Checksums> checksums_;
  std::vector<std::vector<std::uint64_t>> sums_;  // of the problems' inputs; none: downloaded
};

}  // namespace tilewright::cuda
