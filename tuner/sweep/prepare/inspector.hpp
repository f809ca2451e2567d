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

// The first kernel that a launch names but the code does not have, if any.
std::optional<std::string> missing_entry(const LaunchPlan& plan, const CompileResult& code);
// The same, as the configuration's failure.
std::optional<Failure> missing_entry_failure(const LaunchPlan& plan, const CompileResult& code);

// The resources of each launch on a device. Launches of missing entries are left out.
std::vector<Resources> resources_by_launch(const LaunchPlan& plan, const CompileResult& code,
                                           const BackendFacts& backend, const Device& device);

// The launch with the fewest resident blocks, or with the most threads if residency is unknown. All
// members are unknown if there is no launch.
Resources costliest(const std::vector<Resources>& launches);

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

}  // namespace tilewright
