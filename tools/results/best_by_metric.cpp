#include "tools/results/best_by_metric.hpp"

#include <algorithm>
#include <tuple>
#include <vector>

#include "campaign/prepared_sweep.hpp"
#include "campaign/sweep_report.hpp"
#include "db/ladder/present.hpp"
#include "db/records/staleness.hpp"
#include "definition/metric.hpp"
#include "tools/input/lookup.hpp"
#include "tools/print/names.hpp"

namespace tilewright::tools {
namespace {

bool minimised(const SweepRecord& record, const LadderQuestion& wanted, const std::string& name) {
  const auto objective = objective_of(record, *wanted.operation);
  return objective && objective->metric().name == name;
}

// Whether any implementation that may answer had another source.
bool has_other_source(const SweepRecord& record, const LadderQuestion& wanted) {
  return std::ranges::any_of(record.key.implementations, [&](const ImplementationKey& key) {
    return wanted.present != nullptr && wanted.present->has_other_source(key.name, key.source_hash);
  });
}

// The newest finished sweep of exactly this problem: with the present sources if there is such a
// one, then under the device's power limit, and among these one that minimised the objective. Null
// if there is none.
const SweepRecord* sweep_for(const LadderQuestion& wanted, const std::vector<SweepRecord>& sweeps,
                             const std::string& objective) {
  const auto standing = [&](const SweepRecord& record) {
    return std::tuple(has_other_source(record, wanted),
                      limit_distance(record.environment.power_limit_w, wanted.power_limit_w),
                      !minimised(record, wanted, objective));
  };
  const SweepRecord* found = nullptr;
  for (const SweepRecord& record : sweeps) {  // the oldest first
    const SweepKey& key = record.key;
    if (record.finished == 0 || key.problem != wanted.problem || key.device != wanted.device ||
        (wanted.cache && key.policy.cache != *wanted.cache))
      continue;
    if (found == nullptr || standing(record) <= standing(*found)) found = &record;
  }
  return found;
}

}  // namespace

std::optional<LadderAnswer> best_by_metric(const std::string& name, const LadderQuestion& wanted,
                                           const Store& store) {
  const std::vector<SweepRecord> sweeps = store.sweeps(query_for(wanted.operation->name));
  const SweepRecord* const record = sweep_for(wanted, sweeps, name);
  if (record == nullptr) return std::nullopt;
  const Objective objective(metric_named(*wanted.operation, name), *wanted.operation,
                            wanted.problem, record->key.device);
  std::vector<Trial> trials = store.trials(record->id);
  const bool is_for_it = minimised(*record, wanted, name);
  if (!is_for_it)  // its final was among the fastest, so the screening decides
    std::erase_if(trials, [](const Trial& trial) {
      return trial.stage == Stage::final && trial.outcome == Outcome::measured;
    });
  for (const BestRow& row : winners_of(*record, trials, objective)) {
    const Implementation* const known =
        implementation_named(wanted.implementations, row.implementation);
    if (known == nullptr) continue;
    LadderAnswer answer{Rung::exact, known, row.configuration, row};
    answer.has_other_source = wanted.present != nullptr && wanted.present->has_other_source(row);
    if (answer.has_other_source && wanted.require == Require::exact) {
      answer.rung = Rung::none;
      answer.reason = "the stored result was " + other_source_text(row.implementation);
      return answer;
    }
    if (!is_for_it) answer.reason = "the search of this sweep was for something else";
    return answer;
  }
  return std::nullopt;
}

}  // namespace tilewright::tools
