#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "definition/library/library.hpp"
#include "tilewright/device.hpp"
#include "tilewright/policy.hpp"
#include "tilewright/trial.hpp"
#include "tuner/backend/backend.hpp"
#include "tuner/backend/compiler.hpp"
#include "tuner/backend/evaluator.hpp"
#include "tuner/measure/drift.hpp"
#include "tuner/measure/machine_watch.hpp"
#include "tuner/search/importance.hpp"
#include "tuner/search/plateau.hpp"
#include "tuner/space/limits.hpp"
#include "tuner/space/space.hpp"
#include "tuner/sweep/contest.hpp"
#include "tuner/sweep/objective.hpp"
#include "tuner/sweep/timeline.hpp"

namespace tilewright {

// Screening drops a configuration once it has this many samples and their median is above `factor`
// times the best so far.
struct RaceStage {
  int samples = 0;
  double factor = 0;
};

// What another sweep found out about a configuration. The search may propose it, but it must be
// measured again to become an answer.
struct Prior {
  std::string implementation;
  Configuration configuration;
  std::optional<double> ratio;  // time over its sweep's best, at least 1; none: it failed
};

// A configuration worth trying early, of which this problem's other results say nothing.
struct Suggestion {
  std::string implementation;
  Configuration configuration;
};

// The caller's data for the tuned problem, in files of raw little-endian elements.
struct GivenData {
  std::map<std::string, std::filesystem::path> inputs;    // by argument; others are filled
  std::map<std::string, std::filesystem::path> expected;  // right answers of every output; empty:
                                                          // the operation's reference has them
  std::string hash;                                       // of all these data

  bool empty() const { return inputs.empty() && expected.empty(); }
};

// What to do with a trial if a process of somebody else computes on the device (MachineState::
// computing) at its end.
struct BusyRule {
  enum class Then {
    again,  // wait and measure it again, `tries` times; then mark it. After that, trials are marked
            // without waiting until the device is free again.
    mark,   // its message says so
    refuse,  // the device counts as lost
  };
  Then then = Then::again;
  int tries = 3;
  std::chrono::milliseconds pause{1000};
};

// What to sweep and how.
struct SweepRequest {
  std::vector<const Implementation*> implementations;  // of one operation, in report order
  const Operation* operation = nullptr;
  Problem problem;
  Device device;
  int device_index = 0;
  BackendFacts backend;
  Policy policy;
  GivenData given;
  std::optional<Expression> where;
  std::optional<Objective> objective = {};  // none: the time of a call
  std::string strategy = "random";          // exhaustive when the budget covers the space
  std::size_t budget = 0;                   // candidates to try, without duplicates; 0: all
  double time_limit_s = 0;                  // at least one is tried; 0: none
  // Once it is set, the search ends as at its time limit, and `stop` of run_sweep() ends the final
  // alone. A sweep that has measured nothing is interrupted. May be null.
  const std::atomic<bool>* end_search = nullptr;
  double target_us = 0;  // the search ends at this time of a call; 0: none
  PlateauRule plateau = {.least = 0};
  std::uint64_t seed = 1;
  ResourceFloor floor;
  std::vector<RaceStage> race = {{3, 1.5}, {8, 1.1}};
  FinalRules final;
  std::vector<Prior> priors;          // nearest sweep first; illegal ones are ignored
  std::vector<Suggestion> suggested;  // tried after the best priors; illegal ones are ignored
  std::vector<Trial> done;            // of an earlier, interrupted run of this sweep
  BusyRule busy;
  MachineMonitor* monitor = nullptr;  // read after trials; may be null
};

// One of the devices that a sweep measures on. All are of one kind.
struct Bench {
  std::string id;  // "cuda:1", for messages
  int device_index = 0;
  Evaluator* evaluator = nullptr;
  MachineMonitor* monitor = nullptr;  // may be null
};

// Where compiles happen: a CompilePool, or a fake in tests.
class CompileQueue {
 public:
  struct Done {
    std::size_t ticket = 0;
    CompileResult result;
    Span span = {};  // when a process worked on it
  };
  virtual ~CompileQueue() = default;
  virtual void submit(std::size_t ticket, CompileRequest request) = 0;
  virtual std::optional<Done> next(std::chrono::milliseconds limit) = 0;
  // Drops everything that was submitted, so that it gives no result. Returns at which moments the
  // running compiles began.
  virtual std::vector<Moment> withdraw() = 0;
  virtual int processes() const = 0;
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

// The space of each of request.implementations, in their order. Throws as build_space() does.
std::vector<Space> build_spaces(const SweepRequest& request);

// Runs a sweep of those spaces: strategy, compiles ahead of the device, resource check, load,
// verify, sample; then the final. The evaluator works on a thread of its own in parallel to the
// search. The search may end before its budget, because of `stop`, a time, a target or a plateau.
// Then the running trial is finished and reported, and running compiles are dropped. Each object
// takes part in one call at a time. A signal handler may set `stop`. Throws DeviceLost if the
// device is lost, and InputError if the check of the tuned problem is none: zeros or an input
// would pass it.
SweepSummary run_sweep(const SweepRequest& request, const std::vector<Space>& spaces,
                       CompileQueue& compilers, Evaluator& evaluator, SweepObserver& observer,
                       const std::atomic<bool>& stop);

// The same on several devices. Each candidate is screened on one of them. The others begin by
// measuring the anchor of the first, so that times are corrected for differences between devices.
// The final runs on the first device alone. If a device is lost, its candidates move to the others,
// and the next one takes its place. Throws DeviceLost if all are lost.
SweepSummary run_sweep(const SweepRequest& request, const std::vector<Space>& spaces,
                       CompileQueue& compilers, const std::vector<Bench>& benches,
                       SweepObserver& observer, const std::atomic<bool>& stop);

}  // namespace tilewright
