// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tuner/backend/cuda/operands.hpp"
#include "tuner/backend/evaluator.hpp"
#include "tuner/verify/compare.hpp"

namespace tilewright::cuda {

// A problem with all that its answers are judged by.
struct CheckedProblem {
  std::string label;  // for messages: " on M=37 N=53"; empty for the tuned problem
  ReferencePlan rules;
  Operands operands;
  std::vector<Expected> answers;
  bool compares_inputs = true;  // inputs are downloaded and compared after each run
};

// Runs loaded kernels on problems and judges what they left in memory. Every failure is a
// TrialError, after which the problem is as it was unless the device is lost.
class Verifier {
 public:
  // Room to download the largest of the problems, with guards of `guard_bytes` on each side of
  // every buffer. The stream must outlive the verifier.
  Verifier(std::span<const CheckedProblem> problems, std::int64_t guard_bytes, cudaStream_t stream);

  // Adds to `sum`.
  void check(const CheckedProblem& problem, const LaunchPlan& plan, const Kernels& kernels,
             const GuardedBuffer& workspace, Verification& sum);

 private:
  struct Download;
  struct Guard;

  void run(const CheckedProblem& problem, const LaunchPlan& plan, const Kernels& kernels,
           const GuardedBuffer& workspace) const;
  Download download(const CheckedProblem& problem, const GuardedBuffer& workspace);
  std::span<const std::uint8_t> fetch(const std::uint8_t* device, std::int64_t bytes);
  void fetch_guards(const GuardedBuffer& buffer, const std::string& name,
                    std::vector<Guard>& guards);

  cudaStream_t stream_;
  StagingArea staging_;
};

}  // namespace tilewright::cuda
