#pragma once

#include <optional>

#include "tuner/measure/drift.hpp"
#include "tuner/measure/machine_watch.hpp"
#include "tuner/sweep/sweep.hpp"
#include "tuner/sweep/timeline.hpp"

namespace tilewright {

// The device's part of a trial: load, verify, sample. Not thread-safe.
class Judge {
 public:
  Judge(const SweepRequest& request, Evaluator& evaluator)
      : request_(request), evaluator_(evaluator), watch_(request.monitor) {}

  // Measures a configuration until it is clear whether it can beat the best so far. The first that
  // is measured becomes the anchor, which is measured again from time to time. Returns the median,
  // corrected to the start of the sweep; 0 if there is none.
  double screen(Trial& trial, const KernelPlan& kernel);

  // Takes this many samples of a configuration, after verifying it if asked to: under a robust
  // policy so many with cold and so many with warm operands.
  enum class Verify { yes, no };
  void measure(Trial& trial, const KernelPlan& kernel, int samples, Verify verify);

  // Takes note of a trial of an earlier run.
  void remember(const Trial& trial) { note_time(trial); }

  const Drift& drift() const { return drift_; }
  const MachineWatch& watch() const { return watch_; }
  const Timeline& timeline() const { return timeline_; }

 private:
  // What is sampled of one loaded kernel, first with the session's operands.
  struct Wish {
    SampleRequest sample;
    Verify verify = Verify::no;
    bool also_warm = false;
  };
  void run(Trial& trial, const KernelPlan& kernel, const Wish& wish);
  std::optional<Failure> try_once(Trial& trial, const KernelPlan& kernel, const Wish& wish);
  std::optional<Failure> time(std::optional<Timing>& timing, SampleRequest sample,
                              CachePolicy cache);
  SampleRequest race() const;
  void note_time(const Trial& trial);
  void follow_anchor(const Trial& trial, const KernelPlan& kernel);

  const SweepRequest& request_;
  Evaluator& evaluator_;
  double best_us_ = 0;  // corrected to the start of the sweep; 0: none yet
  std::optional<KernelPlan> anchor_;
  int since_anchor_ = 0;  // trials measured since the anchor
  Drift drift_;
  MachineWatch watch_;
  Timeline timeline_;
};

}  // namespace tilewright
