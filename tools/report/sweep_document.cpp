#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "campaign/sweep_report.hpp"
#include "campaign/texts.hpp"
#include "db/records/device_name.hpp"
#include "definition/json/codec.hpp"
#include "definition/json/json.hpp"
#include "definition/metric.hpp"
#include "tilewright/statistics.hpp"
#include "tools/print/device_limits.hpp"
#include "tools/print/names.hpp"
#include "tools/print/sweep.hpp"
#include "tools/print/text.hpp"
#include "tools/report/report.hpp"
#include "tuner/search/importance.hpp"

namespace tilewright::tools {
namespace {

constexpr std::size_t kMostExamples = 2000;  // that importance is worked out from

// The value at a path of keys in a stored report; null if there is none.
nlohmann::json at(const nlohmann::json& report, std::initializer_list<const char*> path) {
  const nlohmann::json* here = &report;
  for (const char* key : path) {
    const auto found = here->is_object() ? here->find(key) : here->end();
    if (found == here->end()) return nullptr;
    here = &*found;
  }
  return *here;
}

std::optional<double> number_at(const nlohmann::json& report,
                                std::initializer_list<const char*> path) {
  const nlohmann::json value = at(report, path);
  if (!value.is_number() || !std::isfinite(value.get<double>())) return std::nullopt;
  return value.get<double>();
}

std::string text_of(const nlohmann::json& value) {
  return value.is_string() ? short_text(value.get<std::string>()) : "";
}

nlohmann::json report_of(const SweepRecord& sweep) {
  nlohmann::json report = parse_sorted(sweep.report);
  return report.is_object() ? report : nlohmann::json::object();
}

// Of one implementation: [{rule, count, example, stage}].
void add_cuts(nlohmann::json& cuts, const nlohmann::json& list, const char* stage) {
  if (!list.is_array()) return;
  for (const nlohmann::json& cut : list) {
    const auto count = number_at(cut, {"count"});
    if (!count || *count <= 0) continue;
    cuts.push_back({{"rule", text_of(at(cut, {"rule"}))},
                    {"count", short_number(*count)},
                    {"example", text_of(at(cut, {"example"}))},
                    {"stage", stage}});
  }
}

nlohmann::json implementations_of(const SweepRecord& sweep, const nlohmann::json& report) {
  return json_list(sweep.key.implementations, [&](const ImplementationKey& key) {
    nlohmann::json implementation = {{"name", short_text(key.name)},
                                     {"cuts", nlohmann::json::array()}};
    implementation["default"] = settings_pairs(key.default_configuration.values);
    const nlohmann::json own = at(report, {"implementations", key.name.c_str()});
    for (const char* count : {"combinations", "legal"})
      if (const auto value = number_at(own, {count})) implementation[count] = short_number(*value);
    add_cuts(implementation["cuts"], at(own, {"space"}), "space");
    add_cuts(implementation["cuts"], at(own, {"resources"}), "compiled");
    return implementation;
  });
}

std::vector<Importance> stored_importance(const nlohmann::json& report) {
  std::vector<Importance> list;
  const nlohmann::json stored = at(report, {"importance"});
  for (const nlohmann::json& item : stored.is_array() ? stored : nlohmann::json::array()) {
    const auto share = number_at(item, {"share"});
    const nlohmann::json name = at(item, {"name"});
    if (share && !text_of(name).empty())
      list.push_back({name, *share, number_at(item, {"low"}).value_or(*share),
                      number_at(item, {"high"}).value_or(*share)});
  }
  return list;
}

// For sweeps whose report has none, such as those of other tuners.
std::vector<Importance> importance_from(const std::vector<Trial>& trials, std::uint64_t seed) {
  std::vector<const Trial*> timed;
  for (const Trial& trial : trials)
    if (trial.timing && trial.stage == Stage::screen) timed.push_back(&trial);
  const std::size_t step = timed.size() / kMostExamples + 1;
  std::vector<GridPoint> points;
  std::vector<Known> known;
  for (std::size_t i = 0; i < timed.size(); i += step) {
    known.push_back({points.size(), std::log(mean_time_us(*timed[i]))});
    points.push_back({timed[i]->implementation, &timed[i]->configuration.values});
  }
  return points.empty() ? std::vector<Importance>{} : importance_of(make_grid(points), known, seed);
}

nlohmann::json importance_json(const SweepRecord& record, const std::vector<Trial>& trials,
                               const nlohmann::json& report) {
  std::vector<Importance> list = stored_importance(report);
  if (list.empty()) list = importance_from(trials, record.key.seed);
  return json_list(list, [](const Importance& item) {
    return nlohmann::json{{"name", short_text(item.name)},
                          {"share", short_number(item.share)},
                          {"low", short_number(item.low)},
                          {"high", short_number(item.high)}};
  });
}

double highest_clock(const std::vector<Trial>& trials) {
  double mhz = 0;
  for (const Trial& trial : trials)
    if (trial.timing) mhz = std::max(mhz, trial.timing->sm_mhz);
  return mhz;
}

// What one call does: the rates of one that takes a second.
void add_work(nlohmann::json& sweep, const SweepRecord& record, const Operation& operation) {
  const Rate rate = rate_of(operation, {record.key.problem, "", {}, record.key.device, 1e6});
  sweep["gflop"] = rate.gflops;
  sweep["gigabyte"] = rate.gigabytes;
}

// What the device could do at most.
void add_limits(nlohmann::json& sweep, const SweepRecord& record,
                const std::vector<Trial>& trials) {
  const double mhz = highest_clock(trials);
  const DeviceLimits limits = limits_of(record.key.device, record.key.problem, mhz);
  nlohmann::json& shown = sweep["limits"] = {{"sm_mhz", short_number(mhz)}};
  shown["compute"] = json_list(limits.compute, [](const ComputeLimit& limit) {
    return nlohmann::json{{"name", limit.name}, {"gflops", short_number(limit.gflops)}};
  });
  if (limits.memory_gigabytes) shown["memory"] = *limits.memory_gigabytes;
}

nlohmann::json winners_json(const std::vector<BestRow>& winners) {
  return json_list(winners, [](const BestRow& row) {
    nlohmann::json winner = {{"implementation", short_text(row.implementation)},
                             {"configuration", settings_pairs(row.configuration.values)},
                             {"time_us", short_number(median_of(row.trial))},
                             {"measured", row.measured},
                             {"tie", row.tie}};
    if (row.trial.warm_timing) winner["warm_us"] = short_number(row.trial.warm_timing->median_us);
    if (row.default_median_us > 0) winner["default_us"] = short_number(row.default_median_us);
    if (row.runner_up_median_us > 0) winner["runner_up_us"] = short_number(row.runner_up_median_us);
    return winner;
  });
}

// The values for some calls; null where there is none.
nlohmann::json values_of(const Metric& metric, const Operation& operation,
                         const std::vector<MeasuredCall>& calls) {
  return json_list(calls, [&](const MeasuredCall& call) {
    const auto value = value_of(metric, operation, call);
    return value ? short_number(*value) : nlohmann::json();
  });
}

// [{name, about, unit, better, "trials": a value for each, "winners": a value for each}] of the
// metrics that have a value for any trial.
nlohmann::json metrics_of(const SweepRecord& record, const std::vector<Trial>& trials,
                          const std::vector<BestRow>& winners, const Operation& operation) {
  std::vector<MeasuredCall> tried;
  for (const Trial& trial : trials) tried.push_back(call_of(record, trial));
  std::vector<MeasuredCall> best;
  for (const BestRow& row : winners) best.push_back(call_of(row));
  nlohmann::json metrics = nlohmann::json::array();
  for (const Metric& metric : operation.metrics) {
    nlohmann::json values = values_of(metric, operation, tried);
    if (std::ranges::all_of(values, &nlohmann::json::is_null)) continue;
    const bool is_lower = metric.better == Metric::Better::lower;
    metrics.push_back({{"name", short_text(metric.name)},
                       {"about", short_text(metric.about)},
                       {"unit", short_text(metric.unit)},
                       {"better", is_lower ? "lower" : "higher"},
                       {"trials", std::move(values)},
                       {"winners", values_of(metric, operation, best)}});
  }
  return metrics;
}

SweepDuration duration_of(const SweepRecord& record, const nlohmann::json& report) {
  SweepDuration duration;
  duration.seconds = number_at(report, {"clock", "total_s"}).value_or(0);
  if (duration.seconds <= 0 && record.finished > record.started)
    duration.seconds = static_cast<double>(record.finished - record.started);
  duration.final_seconds = number_at(report, {"final", "seconds"}).value_or(0);
  const double processes = number_at(report, {"clock", "compile_processes"}).value_or(1);
  duration.compile_processes = static_cast<int>(std::clamp(processes, 1.0, 4096.0));
  return duration;
}

nlohmann::json environment_json(const Environment& environment) {
  nlohmann::json shown = nlohmann::json::object();
  for_each_field(environment, [&shown]<class Field>(const char* name, const Field& value) {
    if constexpr (!std::is_same_v<Field, std::string>) {
      if (value) shown[name] = *value;
    } else if (!value.empty()) {
      shown[name] = short_text(value);
    }
  });
  return shown;
}

}  // namespace

std::string problem_title(const Problem& problem, const Library& library) {
  return short_text(StoredNames(library, Detail::brief).problem(problem));
}

nlohmann::json sweep_document(const Store::Imported& imported, const Library& library) {
  const SweepRecord& record = imported.sweep;
  const std::vector<Trial>& trials = imported.trials;
  const nlohmann::json report = report_of(record);
  const SweepDuration duration = duration_of(record, report);
  const Operation* const operation =
      StoredNames(library, Detail::brief).operation(record.key.operation);
  const auto objective = operation == nullptr ? std::nullopt : objective_of(record, *operation);
  const std::vector<BestRow> winners = winners_of(record, trials, objective);
  nlohmann::json sweep = {{"id", short_text(record.uuid)},
                          {"operation", short_text(record.key.operation)},
                          {"problem", problem_title(record.key.problem, library)},
                          {"device", short_text(full_name(record.key.device))},
                          {"policy", short_text(policy_text(record.key.policy))},
                          {"strategy", short_text(record.key.strategy)},
                          {"where", short_text(record.key.where)},
                          {"environment", environment_json(record.environment)},
                          {"started", record.started},
                          {"finished", record.finished},
                          {"imported", record.imported},
                          {"end", text_of(at(report, {"end"}))},
                          {"implementations", implementations_of(record, report)},
                          {"winners", winners_json(winners)},
                          {"check", json_list(check_texts(report), short_text)},
                          {"importance", importance_json(record, trials, report)},
                          {"trials", trial_columns(trials)}};
  if (duration.seconds > 0) sweep["seconds"] = short_number(duration.seconds);
  if (const auto candidates = number_at(report, {"candidates"}))
    sweep["candidates"] = short_number(*candidates);
  const TrialEnds ends = ends_of(trials, duration);
  sweep["trials"]["ended_s"] = json_list(ends.seconds, short_number);
  sweep["estimated_ends"] = ends.estimated;
  if (operation != nullptr) {
    if (objective) sweep["objective"] = short_text(objective->metric().name);
    sweep["metrics"] = metrics_of(record, trials, winners, *operation);
    add_work(sweep, record, *operation);
  }
  add_limits(sweep, record, trials);
  return sweep;
}

}  // namespace tilewright::tools
