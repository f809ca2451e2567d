#include "db/derived/sweep_answer.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "db/derived/choose.hpp"
#include "definition/json/codec.hpp"

namespace tilewright {
namespace {

double median_at(const std::vector<Trial>& trials, std::optional<std::size_t> i) {
  return i && trials[*i].timing ? trials[*i].timing->median_us : 0;
}

}  // namespace

std::optional<BestRow> row_of(const SweepRecord& sweep, const ImplementationKey& implementation,
                              const std::vector<Trial>& trials, const std::vector<Trial>& judged) {
  const auto chosen = choose(judged, implementation.default_configuration);
  if (!chosen) return std::nullopt;
  BestRow row;
  row.implementation = implementation.name;
  row.trial = trials[chosen->winner];
  row.configuration = row.trial.configuration;
  row.default_median_us = median_at(trials, chosen->default_trial);
  row.runner_up_median_us = median_at(trials, chosen->runner_up);
  row.measured = chosen->measured;
  row.tie = chosen->tie;
  row.problem = sweep.key.problem;
  row.device = sweep.key.device;
  row.policy = sweep.key.policy;
  row.environment = sweep.environment;
  row.sweep_uuid = sweep.uuid;
  row.finished = sweep.finished;
  row.imported = sweep.imported;
  row.epoch = implementation.epoch;
  row.source_hash = implementation.source_hash;
  return row;
}

std::vector<BestRow> rows_so_far(const SweepRecord& sweep, const std::vector<Trial>& trials) {
  const Progress progress = progress_of(sweep, trials);
  std::vector<BestRow> rows;
  for (const ImplementationKey& implementation : sweep.key.implementations) {
    std::vector<Trial> own;
    std::ranges::copy_if(trials, std::back_inserter(own), [&](const Trial& trial) {
      return trial.implementation == implementation.name;
    });
    auto row = row_of(sweep, implementation, own, own);
    if (!row) continue;
    row->finished = sweep.started;
    row->unfinished = progress;
    rows.push_back(*std::move(row));
  }
  return rows;
}

std::size_t tried_of(const std::vector<Trial>& trials) {
  return static_cast<std::size_t>(std::ranges::count_if(trials, [](const Trial& trial) {
    return trial.stage == Stage::screen && trial.outcome != Outcome::pruned &&
           trial.outcome != Outcome::duplicate;
  }));
}

Progress progress_of(const SweepRecord& sweep, const std::vector<Trial>& trials) {
  Progress progress{tried_of(trials), sweep.key.budget};
  if (progress.total > 0) return progress;
  const auto report = parse_sorted(sweep.report);
  const auto legal = report.find(kCandidates);
  if (legal != report.end() && legal->is_number_unsigned())
    progress.total = legal->get<std::size_t>();
  return progress;
}

}  // namespace tilewright
