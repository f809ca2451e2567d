#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/device.hpp"
#include "tuner/backend/backend.hpp"
#include "tuner/backend/compiler.hpp"
#include "tuner/backend/evaluator.hpp"
#include "tuner/plan/launch_plan.hpp"
#include "tuner/sweep/candidates.hpp"
#include "tuner/sweep/request.hpp"

namespace tilewright {

// The failure of a configuration of which a launch names a kernel that the code does not have.
std::optional<Failure> missing_entry_failure(const LaunchPlan& plan, const CompileResult& code);

// The failure of launches of the request's problem that pass other arguments than the code's
// kernels take. Nothing where the code does not say what they take.
std::optional<Failure> parameters_failure(const SweepRequest& request, const LaunchPlan& plan,
                                          const CompileResult& code);

// The resources of each launch on a device. Launches of missing entries are left out.
std::vector<Resources> resources_by_launch(const LaunchPlan& plan, const CompileResult& code,
                                           const BackendFacts& backend, const Device& device);

// Two configurations with equal keys run the same code in the same way.
std::string launch_key(const std::string& code_hash, const LaunchPlan& plan);

// What is known about a compiled candidate before it runs.
struct Inspected {
  Trial trial;
  std::optional<KernelPlan> kernel;  // to run; none: the trial has its outcome already
};

// Finds failed compiles, broken limits of resources and known code, without a device.
class Inspector {
 public:
  Inspector(const SweepRequest& request, std::vector<Problem> problems)
      : request_(request), problems_(std::move(problems)) {}

  // A default is never a duplicate, whichever compiled first.
  Inspected inspect(const Candidate& candidate, const CompileResult& code);

  KernelPlan plan(const Candidate& candidate, const CompileResult& code) const;

  // Equal for candidates that run the same code in the same way.
  std::string key(const Candidate& candidate, const std::string& code_hash) const;

  // A trial of an earlier run: its code counts as seen.
  void remember(const Candidate& candidate, const Trial& trial);

 private:
  // Fills the trial's resources. True if they break a limit.
  bool prune(Trial& trial, const LaunchPlan& launches, const CompileResult& code) const;

  const SweepRequest& request_;
  std::vector<Problem> problems_;
  std::map<std::string, std::string> seen_;  // key → name of the first candidate
};

// Whether the device can run the implementation's code.
bool has_architecture(const SweepRequest& request, const Implementation& implementation);

// Requires has_architecture().
CompileRequest compile_request(const SweepRequest& request, const KernelSource& source,
                               const Candidate& candidate);

// The trial of a candidate whose code the device cannot run.
Trial unsupported_trial(const SweepRequest& request, const Candidate& candidate);

}  // namespace tilewright
