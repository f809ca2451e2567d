// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "tuner/measure/drift.hpp"
#include "tuner/measure/machine_watch.hpp"
#include "tuner/sweep/sweep.hpp"
#include "tuner/sweep/timeline.hpp"

namespace tilewright {

// The device's part of trials: load, verify, sample. Used by one thread at a time.
class Judge {
 public:
  Judge(const SweepRequest& request, Evaluator& evaluator)
      : request_(request), evaluator_(evaluator), watch_(request.monitor) {}

  // Runs it in the race against the best so far. The first that is measured becomes the anchor,
  // which is measured again from time to time. Returns the median as if taken at the start; 0:
  // there is none.
  double screen(Trial& trial, const KernelPlan& kernel);

  // Measures a configuration with so many samples, verified first unless it was before.
  enum class Verify { yes, no };
  void measure(Trial& trial, const KernelPlan& kernel, int samples, Verify verify);

  // A trial of an earlier run: its time counts as known.
  void remember(const Trial& trial) { note_time(trial); }

  const Drift& drift() const { return drift_; }
  const MachineWatch& watch() const { return watch_; }
  const Timeline& timeline() const { return timeline_; }

 private:
  void run(Trial& trial, const KernelPlan& kernel, const SampleRequest& sample, Verify verify);
  std::optional<Failure> try_once(Trial& trial, const KernelPlan& kernel,
                                  const SampleRequest& sample, Verify verify);
  SampleRequest race() const;
  void note_time(const Trial& trial);
  void follow_anchor(const Trial& trial, const KernelPlan& kernel);

  const SweepRequest& request_;
  Evaluator& evaluator_;
  double best_us_ = 0;  // as if measured at the start; 0: none yet
  std::optional<KernelPlan> anchor_;
  int since_anchor_ = 0;  // trials measured
  Drift drift_;
  MachineWatch watch_;
  Timeline timeline_;
};

}  // namespace tilewright
