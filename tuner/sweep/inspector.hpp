#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tuner/sweep/candidates.hpp"
#include "tuner/sweep/sweep.hpp"

namespace tilewright {

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
