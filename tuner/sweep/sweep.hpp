// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "definition/library/library.hpp"
#include "tilewright/device.hpp"
#include "tilewright/policy.hpp"
#include "tilewright/trial.hpp"
#include "tuner/backend/compiler.hpp"
#include "tuner/backend/evaluator.hpp"
#include "tuner/backend/facts.hpp"
#include "tuner/measure/drift.hpp"
#include "tuner/measure/machine_watch.hpp"
#include "tuner/search/importance.hpp"
#include "tuner/search/plateau.hpp"
#include "tuner/space/limits.hpp"
#include "tuner/space/space.hpp"
#include "tuner/sweep/contest.hpp"
#include "tuner/sweep/timeline.hpp"

namespace tilewright {

// A screened configuration is given up once it has this many samples with a median above
// `factor` times the best so far.
struct RaceStage {
  int samples = 0;
  double factor = 0;
};

// What another sweep found of a configuration. A proposal: it is measured again before it can be an
// answer.
struct Prior {
  std::string implementation;
  Configuration configuration;
  std::optional<double> ratio;  // its time over the best of its sweep, from 1; none: it failed
};

// Data of the caller's for the tuned problem, in files of raw little-endian elements.
struct GivenData {
  std::map<std::string, std::filesystem::path> inputs;    // by argument; others are filled
  std::map<std::string, std::filesystem::path> expected;  // right answers of every output; empty:
                                                          // the operation's reference knows them
  std::string hash;                                       // of all that was given

  bool empty() const { return inputs.empty() && expected.empty(); }
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
  std::string strategy = "random";  // exhaustive when the budget covers the space
  std::size_t budget = 0;           // candidates to try, duplicates not counted; 0: all
  double time_limit_s = 0;          // 0: none
  double target_us = 0;             // a time that is good enough; 0: none
  PlateauRule plateau = {.least = 0};
  std::uint64_t seed = 1;
  ResourceFloor floor;
  std::vector<RaceStage> race = {{3, 1.5}, {8, 1.1}};
  FinalRules final;
  std::vector<Prior> priors;          // nearest sweep first; those not in the space do not count
  std::vector<Trial> done;            // of an earlier, interrupted run of this sweep
  MachineMonitor* monitor = nullptr;  // read after trials; nullptr: nothing is known of the machine
};

// Where compiles happen. CompilePool through one line of glue; a fake in tests.
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
  // Drops everything that was submitted: it gives no result. Returns when the compiles that were
  // running began.
  virtual std::vector<Moment> withdraw() = 0;
  virtual int processes() const = 0;
};

// Told of everything as it happens, on the sweep's thread. A record that throws ends the sweep.
class SweepObserver {
 public:
  virtual ~SweepObserver() = default;
  virtual void on_start(std::size_t /*candidates*/, std::size_t /*already_done*/) {}
  virtual void on_trial(const Trial&) {}  // each exactly once
  // What static limits rule out, an implementation at a time; each goes to on_trial unless
  // overridden.
  virtual void on_pruned(const std::vector<Trial>& trials) {
    for (const Trial& trial : trials) on_trial(trial);
  }
  // All trials of the final stage, which stand or fall together: a record keeps all or none.
  virtual void on_finals(const std::vector<Trial>& trials) {
    for (const Trial& trial : trials) on_trial(trial);
  }
};

// Every compile that a sweep asked for: of candidates, finalists, the reference and the probe.
struct CompileCounts {
  std::size_t done = 0;  // by a compiler, in this run
  std::size_t from_cache = 0;
};

// The final stage; no rounds: there was none in this run.
struct FinalSummary {
  std::size_t finalists = 0;
  int rounds = 0;
  std::string end;  // "settled", "rounds", "time"
  double seconds = 0;
};

enum class SweepEnd { finished, time_limit, plateau, enough_time, target, interrupted };

struct SweepSummary {
  SweepEnd end = SweepEnd::finished;
  std::size_t candidates = 0;               // legal configurations of all implementations
  std::size_t tried = 0;                    // trials of this run, pruned ones not counted
  std::size_t seen = 0;                     // candidates with an outcome, an earlier run's counted
  std::map<Outcome, std::size_t> outcomes;  // of this run and the earlier one
  SweepClock clock;
  int compile_processes = 0;
  CompileCounts compiles;
  Drift drift;  // while configurations were screened
  FinalSummary final;
  MachineSummary machine;
  std::vector<Importance> importance;  // of the parameters for the time, where that can be said
  int worker_restarts = 0;
};

// The space of each of request.implementations, in their order. Throws as build_space() does.
std::vector<Space> build_spaces(const SweepRequest& request);

// Runs a sweep of those spaces: strategy, compiles ahead of the device, resource check, load,
// verify, sample; then finalists once more. The evaluator works on a thread of its own while the
// search goes on. When that ends before its budget (`stop`, a time, a target, a plateau), the
// running trial is finished and reported, and nobody waits for compilers any more. One call at a
// time for each object; `stop` may be set from a signal handler.
SweepSummary run_sweep(const SweepRequest& request, const std::vector<Space>& spaces,
                       CompileQueue& compilers, Evaluator& evaluator, SweepObserver& observer,
                       const std::atomic<bool>& stop);

}  // namespace tilewright
