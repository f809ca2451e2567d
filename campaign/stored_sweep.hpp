// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "campaign/sweep_setup.hpp"
#include "db/store/store.hpp"
#include "tuner/sweep/sweep.hpp"

namespace tilewright {

// A sweep with its record. Where a sweep and a store meet.
struct StoredSweep {
  SweepRecord record;  // no uuid: nothing was legal, and nothing is on record
  nlohmann::json report = nlohmann::json::object();
  std::vector<BestRow> winners;  // one for each implementation, the fastest first
  std::vector<Trial> trials;
  std::optional<SweepSummary> summary = {};  // of this run

  // It was on record already.
  bool was_finished() const { return !record.uuid.empty() && !summary; }
};

// Neither a configuration to try nor one that a limit of the device rules out.
bool has_nothing_to_record(const SweepSetup& setup);

// What the store has finished of this very sweep.
std::optional<StoredSweep> find_finished(const Store& store, const SweepSetup& setup);

// Goes on with the sweep in the store, or starts it there; request.done are then its trials so far.
SweepRecord begin_sweep(Store& store, SweepSetup& setup, Store::Start start);

// Who works for a sweep.
struct SweepCrew {
  CompileQueue& compilers;
  Evaluator& evaluator;
  std::vector<SweepObserver*> observers;  // told after the store
  const std::atomic<bool>& stop;
};

// Runs what begin_sweep() began, every trial committed as it ends, and finishes it in the store,
// unless it was stopped: then it can be gone on with. Throws as run_sweep() and StoreObserver do.
StoredSweep run_stored_sweep(Store& store, SweepSetup& setup, const SweepRecord& record,
                             const SweepCrew& crew);

}  // namespace tilewright
