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
#include "tuner/backend/evaluator.hpp"
#include "tuner/search/plateau.hpp"
#include "tuner/space/limits.hpp"
#include "tuner/sweep/contest.hpp"
#include "tuner/sweep/objective.hpp"

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
  std::map<std::string, std::string> libraries = {};  // versions, by Implementation::routine
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

  // The evaluator that is swept, which is then the only implementation; empty: kernels are.
  EvaluatorCommand evaluator = {};
  std::string evaluator_version = {};  // one word; empty: not known
};

// One of the devices that a sweep measures on. All are of one kind.
struct SweepDevice {
  std::string id;  // "cuda:1", for messages
  int device_index = 0;
  Evaluator* evaluator = nullptr;
  MachineMonitor* monitor = nullptr;  // may be null
};

}  // namespace tilewright
