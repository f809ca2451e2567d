#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <new>

#include "bindings/c/call.hpp"
#include "db/records/device_name.hpp"
#include "db/store/store.hpp"
#include "definition/json/codec.hpp"
#include "definition/json/json.hpp"

namespace tilewright::bindings {
namespace {

// The rows that a request asks for. Empty fields match everything.
struct ResultFilter {
  Query query;
  Settings problem;
  std::string device;

  bool accepts(const Problem& one, const Device& on) const {
    return is_named(on, device) && std::ranges::includes(one.values, problem);
  }
  bool accepts(const Trial& trial) const {
    return query.implementation.empty() || trial.implementation == query.implementation;
  }
};

// What a trial measured; null for what it did not measure.
void add_trial_fields(Json& row, const Trial& trial) {
  const Timing timing = trial.timing.value_or(Timing{});
  const auto time = [&](double us) { return trial.timing ? Json(us) : Json(); };
  const auto known = [](auto value) { return value < 0 ? Json() : Json(value); };
  const Resources resources = trial.resources.value_or(Resources{});
  row["median_us"] = time(timing.median_us);
  row["interval_low_us"] = time(timing.interval_low_us);
  row["interval_high_us"] = time(timing.interval_high_us);
  row["minimum_us"] = time(timing.minimum_us);
  row["registers"] = known(resources.registers);
  row["shared_bytes"] = known(resources.shared_bytes);
  row["spill_bytes"] = known(resources.spill_bytes);
  row["blocks_per_sm"] = known(resources.blocks_per_sm);
  row["occupancy"] = known(resources.occupancy);
}

Json subject_fields(const Problem& problem, const Device& device, const Policy& policy) {
  return {{"operation", problem.operation},
          {"problem", to_json(problem.values)},
          {"device", device.name},
          {"policy", to_text(policy)}};
}

Json row_of(const SweepRecord& sweep, const Trial& trial) {
  Json row = subject_fields(sweep.key.problem, sweep.key.device, sweep.key.policy);
  row["implementation"] = trial.implementation;
  row["configuration"] = to_json(trial.configuration.values);
  row["outcome"] = to_text(trial.outcome);
  row["stage"] = to_text(trial.stage);
  row["rule"] = trial.rule;
  row["message"] = trial.message;
  add_trial_fields(row, trial);
  row["sweep"] = sweep.uuid;
  row["started"] = sweep.started;
  row["finished"] = sweep.finished;
  row["imported"] = sweep.imported;
  return row;
}

Json row_of(const BestRow& best, const std::string& strategy) {
  const auto measured = [](double us) { return us > 0 ? Json(us) : Json(); };
  Json row = subject_fields(best.problem, best.device, best.policy);
  row["implementation"] = best.implementation;
  row["configuration"] = to_json(best.configuration.values);
  add_trial_fields(row, best.trial);
  row["default_us"] = measured(best.default_median_us);
  row["runner_up_us"] = measured(best.runner_up_median_us);
  row["tie"] = best.tie;
  row["stage"] = to_text(best.trial.stage);
  row["strategy"] = strategy;
  row["driver"] = best.environment.driver;
  row["tool"] = best.environment.tool;
  row["measured"] = best.measured;
  row["sweep"] = best.sweep_uuid;
  row["finished"] = best.finished;
  row["imported"] = best.imported;
  return row;
}

Json trial_rows(const Store& store, const ResultFilter& filter) {
  Json rows = Json::array();
  const std::vector<SweepRecord> sweeps = store.sweeps(filter.query);
  for (auto sweep = sweeps.rbegin(); sweep != sweeps.rend(); ++sweep) {
    if (!filter.accepts(sweep->key.problem, sweep->key.device)) continue;
    for (const Trial& trial : store.trials(sweep->id))
      if (filter.accepts(trial)) rows.push_back(row_of(*sweep, trial));
  }
  return rows;
}

Json best_rows(const Store& store, const ResultFilter& filter) {
  std::map<std::string, std::string> strategies;  // by the sweep's uuid
  for (const SweepRecord& sweep : store.sweeps(filter.query))
    strategies[sweep.uuid] = sweep.key.strategy;
  Json rows = Json::array();
  for (const BestRow& best : store.best(filter.query))
    if (filter.accepts(best.problem, best.device))
      rows.push_back(row_of(best, strategies[best.sweep_uuid]));
  return rows;
}

Json results(const std::filesystem::path& database, const ResultFilter& filter, const char* what) {
  const bool is_best = place_of(what, "results", {"trials", "best"}) == 1;
  if (database.empty()) throw NothingFound("there is no database: none was named");
  std::error_code error;  // ignored: the store reports a place that cannot be read
  if (!std::filesystem::exists(database, error) && !error)
    throw NothingFound(fmt::format("there is no database {}", database.string()));
  const Store store(database, Store::Mode::read_only);
  return is_best ? best_rows(store, filter) : trial_rows(store, filter);
}

}  // namespace

char* text_for_c(const Json& json) {
  return text_for_c(json_text(json));
}

char* text_for_c(const std::string& text) {
  auto* const copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy == nullptr) throw std::bad_alloc();
  std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

}  // namespace tilewright::bindings

using namespace tilewright::bindings;

tw_status tw_results(const tw_runtime* runtime, const tw_request* request, const char* what,
                     char** json) {
  return guarded(__func__, {{"runtime", runtime}, {"request", request}, {"json", json}}, [&] {
    const tw_request asked = whole_of("tw_results", request);
    refuse("tw_results", "cache", asked.cache);
    refuse("tw_results", "require", asked.require);
    refuse("tw_results", "inputs", asked.inputs);
    const ResultFilter filter = {tilewright::query_for(text_of(asked.operation)),
                                 settings_of(asked.problem), text_of(asked.device)};
    *json = text_for_c(results(runtime->options.catalog.database, filter, what));
  });
}

void tw_text_free(char* text) {
  std::free(text);
}
