#include "tools/report/document.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "tilewright/version.hpp"
#include "tools/input/lookup.hpp"
#include "tools/report/comparison.hpp"
#include "tools/report/sweep_document.hpp"
#include "tools/report/trial_columns.hpp"

namespace tilewright::tools {
namespace {

// The newest first.
std::vector<SweepRecord> matching_sweeps(const Store& store, const ReportRequest& request) {
  std::vector<Query> queries = request.queries;
  if (queries.empty()) queries.emplace_back();
  std::set<std::int64_t> known;
  std::vector<SweepRecord> sweeps;
  for (const Query& query : queries)
    for (SweepRecord& sweep : store.sweeps(query))
      if (known.insert(sweep.id).second) sweeps.push_back(std::move(sweep));
  std::stable_sort(sweeps.begin(), sweeps.end(), [](const SweepRecord& a, const SweepRecord& b) {
    return std::pair(a.started, a.id) > std::pair(b.started, b.id);
  });
  if (request.sweep.empty()) return sweeps;
  return {find_sweep(store, sweeps, "sweep", request.sweep)};
}

}  // namespace

nlohmann::json report_document(const Store& store, const ReportRequest& request,
                               const Library& library) {
  nlohmann::json sweeps = nlohmann::json::array();
  std::vector<std::string> operations;
  std::size_t trials = 0;
  std::size_t left_out = 0;
  for (SweepRecord& record : matching_sweeps(store, request)) {
    Store::Imported sweep{std::move(record), {}};
    sweep.trials = store.trials(sweep.sweep.id);
    if (sweep.trials.empty()) continue;
    if (trials > 0 && trials + sweep.trials.size() > request.most_trials) {
      ++left_out;
      continue;
    }
    trials += sweep.trials.size();
    const std::string& operation = sweep.sweep.key.operation;
    if (std::find(operations.begin(), operations.end(), operation) == operations.end())
      operations.push_back(operation);
    sweeps.push_back(sweep_document(sweep, library));
  }
  if (sweeps.empty()) return nullptr;
  return {{"tool", kVersion},
          {"source", short_text(request.source)},
          {"sweeps", std::move(sweeps)},
          {"left_out", left_out},
          {"comparison", comparison_of(store, operations, library)}};
}

}  // namespace tilewright::tools
