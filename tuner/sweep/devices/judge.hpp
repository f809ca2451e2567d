#pragma once

#include <cstddef>
#include <optional>

#include "tuner/measure/drift.hpp"
#include "tuner/measure/machine_watch.hpp"
#include "tuner/sweep/request.hpp"
#include "tuner/sweep/timeline.hpp"

namespace tilewright {

// Whether the clock is lower while the device computes all the time; held_down: by something that
// the monitor names, mostly the power limit, or there is no monitor. Other configurations may be
// the fastest then than on a cool device.
enum class Load { usual, lowered, held_down };

// The device's part of a trial: load, verify, sample. Not thread-safe.
class Judge {
 public:
  Judge(const SweepRequest& request, Evaluator& evaluator)
      : Judge(request, evaluator, request.monitor) {}
  // `monitor` may be null.
  Judge(const SweepRequest& request, Evaluator& evaluator, MachineMonitor* monitor)
      : request_(request),
        evaluator_(evaluator),
        measures_warm_(has_two_times(request)),
        watch_(monitor) {}

  // The anchor of another device's judge, with its time there. This device is then taken for that
  // one at another speed: times are corrected to the start of that one. Before the first screen().
  void begin_beside(const KernelPlan& anchor, double time_us);
  bool has_anchor() const { return anchor_.has_value(); }

  // Measures a configuration until it is clear whether it can beat the best so far. Under a robust
  // policy one that comes close is also measured warm. The first that is measured becomes the
  // anchor, which is measured again from time to time; a sudden change of its time counts only when
  // two more readings have followed. Once something holds the clock down (the power limit), the
  // fastest so far takes over as the anchor, and each configuration is measured between two
  // readings of it. Returns the median, corrected to the start of the sweep; 0 if there is none.
  double screen(Trial& trial, const KernelPlan& kernel);

  // Runs a configuration on a GPU until its clock is that of a GPU which never rests, for a second
  // at most. If something holds the clock down then, measure() begins each time with a lead-in.
  Load settle(const KernelPlan& kernel);

  // Takes this many samples of a configuration, after verifying it if asked to: under a robust
  // policy so many with cold and so many with warm operands.
  enum class Verify { yes, no };
  void measure(Trial& trial, const KernelPlan& kernel, int samples, Verify verify);

  // Takes note of a trial of an earlier run.
  void remember(const Trial& trial);

  const Drift& drift() const { return drift_; }
  // How many configurations were measured between two readings of the anchor.
  std::size_t beside_anchor() const { return beside_anchor_; }
  const MachineWatch& watch() const { return watch_; }
  const Timeline& timeline() const { return timeline_; }

 private:
  static bool has_two_times(const SweepRequest& request);

  // What is sampled of one loaded kernel, first with the session's operands.
  struct Wish {
    SampleRequest sample = {};
    Verify verify = Verify::no;
    std::optional<SampleRequest> warm = {};  // after that
    double warm_over_us = 0;                 // only if the first median is at most this; 0: always
  };
  void run(Trial& trial, const KernelPlan& kernel, const Wish& wish);
  void run_once(Trial& trial, const KernelPlan& kernel, const Wish& wish);
  bool is_disturbed(Trial& trial, int tries);
  std::optional<Failure> try_once(Trial& trial, const KernelPlan& kernel, const Wish& wish);
  std::optional<Failure> time(std::optional<Timing>& timing, SampleRequest sample,
                              CachePolicy cache);
  Wish screening() const;
  bool note_time(double normal_us);
  void follow_anchor(const Trial& trial, const KernelPlan& kernel);
  bool follow_clock(const Trial& trial);
  bool shows_a_limit(const Trial& trial) const;
  std::optional<double> time_of(const KernelPlan& kernel, const SampleRequest& sample);
  bool read_anchor(const SampleRequest& sample);

  const SweepRequest& request_;
  Evaluator& evaluator_;
  const bool measures_warm_;
  double best_us_ = 0;              // corrected to the start of the sweep; 0: none yet
  std::optional<KernelPlan> best_;  // of this run
  std::optional<KernelPlan> anchor_;
  double anchor_mhz_ = 0;  // at its first reading, or before settle(); 0: unknown
  int since_anchor_ = 0;   // trials measured since the anchor
  bool is_held_down_ = false;
  std::size_t beside_anchor_ = 0;
  Drift drift_;
  MachineWatch watch_;
  bool waits_for_others_ = true;  // false: they did not stop
  Timeline timeline_;
};

}  // namespace tilewright
