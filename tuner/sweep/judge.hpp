// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tuner/measure/drift.hpp"
#include "tuner/measure/machine_watch.hpp"
#include "tuner/sweep/candidates.hpp"
#include "tuner/sweep/sweep.hpp"

namespace tilewright {

// Turns compiled candidates into trials: resource rules, duplicates, load, verify, sample.
class Judge {
 public:
  Judge(const SweepRequest& request, Evaluator& evaluator, std::vector<Problem> problems)
      : request_(request),
        evaluator_(evaluator),
        problems_(std::move(problems)),
        watch_(request.monitor) {}

  // The first that is measured becomes the anchor, which is measured again from time to time.
  Trial screen(const Candidate& candidate, const CompileResult& code);

  // Measures a configuration with so many samples, verified first unless it was before.
  enum class Verify { yes, no };
  void measure(Trial& trial, const KernelPlan& kernel, int samples, Verify verify);

  KernelPlan plan(const Candidate& candidate, const CompileResult& code) const;

  // Equal for candidates whose code runs in the same way.
  std::string key(const Candidate& candidate, const std::string& code_hash) const;

  // A trial of an earlier run: its code counts as seen, its time as known.
  void remember(const Candidate& candidate, const Trial& trial);

  const Drift& drift() const { return drift_; }
  const MachineWatch& watch() const { return watch_; }
  double device_s() const { return device_s_; }

 private:
  // Fills the trial's resources; true if they break a limit.
  bool prune(Trial& trial, const LaunchPlan& launches, const CompileResult& code) const;
  void run(Trial& trial, const KernelPlan& kernel, const SampleRequest& sample, Verify verify);
  std::optional<Failure> try_once(Trial& trial, const KernelPlan& kernel,
                                  const SampleRequest& sample, Verify verify);
  SampleRequest race() const;
  void note_time(const Trial& trial);
  void follow_anchor(const Trial& trial, const KernelPlan& kernel);

  const SweepRequest& request_;
  Evaluator& evaluator_;
  std::vector<Problem> problems_;
  std::map<std::string, std::string> seen_;  // key → who has it
  double best_us_ = 0;                       // as if measured at the start; 0: none yet
  std::optional<KernelPlan> anchor_;
  int since_anchor_ = 0;  // trials measured
  Drift drift_;
  MachineWatch watch_;
  double device_s_ = 0;
};

}  // namespace tilewright
