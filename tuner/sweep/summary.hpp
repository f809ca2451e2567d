#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "tilewright/trial.hpp"
#include "tuner/backend/evaluator.hpp"
#include "tuner/measure/drift.hpp"
#include "tuner/measure/machine_watch.hpp"
#include "tuner/search/importance.hpp"
#include "tuner/sweep/timeline.hpp"

namespace tilewright {

// The compiles of a sweep: candidates, finalists, the reference and the probe.
struct CompileCounts {
  std::size_t done = 0;  // by a compiler, in this run
  std::size_t from_cache = 0;
};

// The final. No rounds: this run had none.
struct FinalSummary {
  std::size_t finalists = 0;
  int rounds = 0;
  std::string end;  // "settled", "rounds", "time"
  double seconds = 0;
};

// ended_early: by SweepRequest::end_search.
enum class SweepEnd {
  finished,
  time_limit,
  plateau,
  enough_time,
  target,
  interrupted,
  ended_early
};

struct SweepSummary {
  SweepEnd end = SweepEnd::finished;
  std::size_t candidates = 0;  // legal configurations of all implementations
  std::size_t tried = 0;       // trials of this run, without pruned ones
  std::size_t seen = 0;        // candidates with an outcome, in any run
  // Of this run and the earlier one, with all that static limits rule out.
  std::map<Outcome, std::size_t> outcomes;
  double searched_s = 0;  // before the final, in this run
  SweepClock clock;
  int compile_processes = 0;
  CompileCounts compiles;
  Drift drift;                    // during screening
  std::size_t beside_anchor = 0;  // configurations screened between two readings of the anchor
  FinalSummary final;
  MachineSummary machine;
  std::vector<SimpleAnswer> simple_answers;  // how well the check tells them from the right ones
  std::vector<Importance> importance;        // of the parameters; empty: too few trials
  int worker_restarts = 0;
};

// How far a search is. A budget does not count duplicates, so they count here only where all
// candidates are tried. Trials of the final never count.
struct SearchProgress {
  std::size_t planned = 0;
  std::size_t done = 0;  // at most `planned`, although a sweep of another budget may have left more
  bool duplicates_count = false;
  double limit_s = 0;  // what is left of the time limit; 0: there is none

  void add(const Trial& trial) {
    const bool counts =
        trial.stage == Stage::screen && (duplicates_count || trial.outcome != Outcome::duplicate);
    if (counts && done < planned) ++done;
  }
};

// Is told everything as it happens, on the sweep's thread. An exception ends the sweep.
class SweepObserver {
 public:
  virtual ~SweepObserver() = default;
  // With what was done before. Only what static limits rule out comes earlier.
  virtual void on_start(const SearchProgress&) {}
  virtual void on_trial(const Trial&) {}  // each trial exactly once
  // A device can no longer measure; the others take over its work.
  virtual void on_device_lost(const std::string& /*id*/, const std::string& /*why*/) {}
  // What static limits rule out, by implementation: the first kMostPruned. The default passes each
  // to on_trial.
  virtual void on_pruned(const std::vector<Trial>& trials) {
    for (const Trial& trial : trials) on_trial(trial);
  }
  // All trials of the final. A store keeps all of them or none.
  virtual void on_finals(const std::vector<Trial>& trials) {
    for (const Trial& trial : trials) on_trial(trial);
  }
};

}  // namespace tilewright
