// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "campaign/stored_sweep.hpp"

#include <algorithm>
#include <utility>

#include "campaign/store_observer.hpp"
#include "campaign/sweep_report.hpp"
#include "tuner/machine/machine.hpp"
#include "tuner/search/strategy.hpp"

namespace tilewright {
namespace {

StoredSweep stored(SweepRecord record, nlohmann::json report, std::vector<Trial> trials) {
  StoredSweep sweep;
  sweep.winners = winners_of(record, trials);
  sweep.record = std::move(record);
  sweep.report = std::move(report);
  sweep.trials = std::move(trials);
  return sweep;
}

}  // namespace

bool has_nothing_to_record(const SweepSetup& setup) {
  const auto is_empty = [](const Space& space) { return space.pruned.empty(); };
  return setup.legal == 0 && std::ranges::all_of(setup.spaces, is_empty);
}

std::optional<StoredSweep> find_finished(const Store& store, const SweepSetup& setup) {
  auto record = store.finished_sweep(setup.key);
  if (!record) return std::nullopt;
  nlohmann::json report = nlohmann::json::parse(record->report, nullptr, false);
  if (!report.is_object()) report = nlohmann::json::object();
  std::vector<Trial> trials = store.trials(record->id);
  return stored(*std::move(record), std::move(report), std::move(trials));
}

SweepRecord begin_sweep(Store& store, SweepSetup& setup, Store::Start start) {
  SweepRecord record = store.begin_sweep(setup.key, setup.environment, start);
  setup.request.done = store.trials(record.id);
  return record;
}

StoredSweep run_stored_sweep(Store& store, SweepSetup& setup, const SweepRecord& record,
                             const SweepCrew& crew) {
  SweepRequest& request = setup.request;
  Priors priors;
  const bool has_use = is_learning(request.strategy);
  if (has_use && setup.priors == PriorUse::stored) priors = find_priors(store, request);
  request.priors = std::move(priors.trials);
  const auto monitor = backend_of(setup.device.device.kind).make_monitor(setup.device);
  request.monitor = monitor.get();
  CutTally tally(setup);
  StoreObserver keep(store, record, request.done);
  std::vector<SweepObserver*> all = {&keep, &tally};
  all.insert(all.end(), crew.observers.begin(), crew.observers.end());
  ObserverList observers(std::move(all));
  SweepSummary summary =
      run_sweep(request, setup.spaces, crew.compilers, crew.evaluator, observers, crew.stop);
  request.monitor = nullptr;

  nlohmann::json report = report_of(summary, tally);
  if (has_use) report["priors"] = json_of(*request.operation, priors, setup.priors);
  if (summary.end != SweepEnd::interrupted)
    keep.finish(report.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  StoredSweep sweep = stored(record, std::move(report), keep.trials());
  sweep.summary = std::move(summary);
  return sweep;
}

}  // namespace tilewright
