// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tuner/sweep/candidates.hpp"
#include "tuner/sweep/sweep.hpp"

namespace tilewright {

// Turns compiled candidates into trials: resource rules, duplicates, load, verify, sample.
class Judge {
 public:
  Judge(const SweepRequest& request, Evaluator& evaluator, std::vector<Problem> problems)
      : request_(request), evaluator_(evaluator), problems_(std::move(problems)) {}

  Trial screen(const Candidate& candidate, const CompileResult& code);

  // Measures a screened candidate once more. `samples` holds its final samples so far and
  // grows; the trial's timing is that of all of them.
  void measure_again(Trial& trial, const KernelPlan& kernel, std::vector<double>& samples);

  KernelPlan plan(const Candidate& candidate, const CompileResult& code) const;

  // A trial of an earlier run: its code counts as seen, its time as known.
  void remember(const Candidate& candidate, const Trial& trial);

  double device_s() const { return device_s_; }

 private:
  // Fills the trial's resources; true if they break a limit.
  bool prune(Trial& trial, const LaunchPlan& launches, const CompileResult& code) const;
  void run(Trial& trial, const KernelPlan& kernel);
  void note_time(const Trial& trial);

  const SweepRequest& request_;
  Evaluator& evaluator_;
  std::vector<Problem> problems_;
  std::map<std::string, std::string> seen_;  // launch key → who has it
  double best_us_ = 0;                       // 0: none yet
  double device_s_ = 0;
};

}  // namespace tilewright
