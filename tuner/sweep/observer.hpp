#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tilewright/trial.hpp"

namespace tilewright {

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
