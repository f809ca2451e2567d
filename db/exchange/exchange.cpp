#include "db/exchange/exchange.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

#include "db/records/border.hpp"
#include "definition/json/codec.hpp"
#include "definition/json/json.hpp"
#include "definition/text/errors.hpp"
#include "definition/text/escape.hpp"
#include "definition/text/hash.hpp"

namespace tilewright {

namespace {

constexpr const char* kExportFormat = "tilewright";
constexpr std::int64_t kExportVersion = 2;

constexpr int kLevelsAroundReport = 3;  // the document, "sweeps" and the sweep

// Without the paths of manifests, which are nobody else's business.
// A report that is a JSON object or array stays one; any other report becomes a string. So does one
// that would make the export too deep to be read.
Json report_to_json(const std::string& report) {
  try {
    Json json = parse_document(report, kDeepestJson - kLevelsAroundReport);
    for (const char* paths : {kOwnManifests, kNamedManifests})
      if (json.is_object()) json.erase(paths);
    if (json.is_structured()) return json;
  } catch (const InputError&) {  // text
  }
  return report;
}

Json trial_to_json(const Trial& trial, const SweepKey& key, const MetricsOf& metrics_of) {
  Json json = to_json(trial);
  if (!metrics_of || !trial.timing) return json;
  const Json metrics = metrics_of({key.problem, trial.implementation, trial.configuration,
                                   key.device, trial.timing->median_us});
  if (!metrics.empty()) json["metrics"] = metrics;
  return json;
}

Json imported_to_json(const Store::Imported& imported, const MetricsOf& metrics_of) {
  const SweepRecord& sweep = imported.sweep;
  Json trials = Json::array();
  for (const Trial& trial : imported.trials)
    trials.push_back(trial_to_json(trial, sweep.key, metrics_of));
  Json json = {{"uuid", sweep.uuid}};
  if (!sweep.store.empty()) json["store"] = sweep.store;
  json.update({{"started", sweep.started},
               {"finished", sweep.finished},
               {"key", to_json(sweep.key)},
               {"environment", to_json(sweep.environment)},
               {"report", report_to_json(sweep.report)},
               {"trials", std::move(trials)}});
  return json;
}

// The order of an export. It does not depend on the store.
auto order_of(const SweepRecord& sweep) {
  std::string implementations;
  for (const auto& implementation : sweep.key.implementations)
    implementations += implementation.name + ' ';
  return std::tuple(sweep.key.operation, canonical_json(sweep.key.problem.values),
                    json_text(to_json(sweep.key.device)), implementations, sweep.uuid);
}

std::string id_from_json(const Json& json, const char* key) {
  std::string id;
  read_field(json, key, id);
  if (!is_hexadecimal(id, 32)) throw bad_input("'{}' is '{}', not 32 hexadecimal digits", key, id);
  return id;
}

SweepRecord sweep_from_json(const Json& json) {
  SweepRecord sweep;
  sweep.uuid = id_from_json(json, "uuid");
  if (json.contains("store")) sweep.store = id_from_json(json, "store");
  read_field(json, "started", sweep.started);
  read_field(json, "finished", sweep.finished);
  read_field(json, "key", sweep.key);
  read_field(json, "environment", sweep.environment);
  const Json& report = field(json, "report");
  sweep.report = report.is_string() ? report.get<std::string>() : json_text(report);
  sweep.imported = true;
  require_possible(sweep);
  return sweep;
}

// Version 1 had neither intervals of medians nor rounds. They get the values that the migration of
// a database gives them.
Json trial_of_version_1(Json trial) {
  if (!trial.is_object() || !trial.contains("timing")) return trial;
  Json& timing = trial["timing"];
  const Json& lower = field(timing, "lower_us");
  const Json& upper = field(timing, "upper_us");
  timing.update({{"interval_low_us", lower}, {"interval_high_us", upper}, {"rounds", 1}});
  return trial;
}

Store::Imported imported_from_json(const Json& json, std::int64_t version) {
  Store::Imported imported{sweep_from_json(json), {}};
  std::set<std::string> listed;
  for (const auto& implementation : imported.sweep.key.implementations)
    if (!listed.insert(implementation.name).second)
      throw bad_input("'implementations' lists '{}' twice", implementation.name);
  for (const Json& trial : array_field(json, "trials")) {
    const auto place = fmt::format("trial {}", imported.trials.size() + 1);
    imported.trials.push_back(at_place(place, [&] {
      Trial read = trial_from_json(version == 1 ? trial_of_version_1(trial) : trial);
      require_possible(read);
      return read;
    }));
    const std::string& name = imported.trials.back().implementation;
    if (listed.count(name) == 0)
      throw bad_input("{}: 'implementation' is '{}', which the sweep does not list", place, name);
  }
  return imported;
}

// Returns the version of the document.
std::int64_t require_format(const Json& document) {
  if (!document.is_object() || !document.contains("format") || document["format"] != kExportFormat)
    throw InputError(
        "not an export of tilewright: \"format\": \"tilewright\" is expected (for a file of "
        "another "
        "tuner, give --as)");
  std::int64_t version = 0;
  read_field(document, "version", version);
  if (version < 1 || version > kExportVersion)
    throw bad_input("export version {} is not known, 1 to {} are: use a newer tilewright", version,
                    kExportVersion);
  return version;
}

}  // namespace

std::string export_json(std::vector<Store::Imported> sweeps, const MetricsOf& metrics_of) {
  std::ranges::sort(sweeps, {}, [](const auto& one) { return order_of(one.sweep); });
  Json list = Json::array();
  for (const Store::Imported& imported : sweeps)
    list.push_back(imported_to_json(imported, metrics_of));
  const Json document = {
      {"format", kExportFormat}, {"version", kExportVersion}, {"sweeps", std::move(list)}};
  return json_text(document, 2) + '\n';
}

std::string export_json(const Store& store, const Query& query, const MetricsOf& metrics_of) {
  std::vector<Store::Imported> sweeps;
  for (SweepRecord& sweep : store.sweeps(query)) {
    if (sweep.finished == 0) continue;
    std::vector<Trial> trials = store.trials(sweep.id);
    sweeps.push_back({std::move(sweep), std::move(trials)});
  }
  return export_json(std::move(sweeps), metrics_of);
}

std::vector<Store::Imported> import_json(std::string_view text, const std::string& name) {
  return at_place(fmt::format("'{}'", name), [&] {
    const Json document = parse_document(text);
    const std::int64_t version = require_format(document);
    std::vector<Store::Imported> sweeps;
    for (const Json& json : array_field(document, "sweeps"))
      sweeps.push_back(at_place(fmt::format("sweep {}", sweeps.size() + 1),
                                [&] { return imported_from_json(json, version); }));
    return sweeps;
  });
}

namespace {

constexpr const char* kHeader =
    "operation,problem,device_kind,device,compute_capability,partition,sm_count,policy,"
    "implementation,configuration,median_us,lower_us,upper_us,minimum_us,default_median_us,"
    "runner_up_median_us,measured,tie,registers,shared_bytes,spill_bytes,occupancy,sm_mhz,"
    "worst_ratio,code_hash,driver,runtime,compiler,tool,epoch,sweep,finished,imported\n";

template <class... Cells>
std::string line_of(const Cells&... cells) {
  std::string line;
  ((line += csv_field(fmt::format("{}", cells)) + ','), ...);
  line.back() = '\n';
  return line;
}

std::string line_of(const BestRow& row) {
  const Timing timing = row.trial.timing.value_or(Timing{});
  const Resources resources = row.trial.resources.value_or(Resources{});
  const auto& verification = row.trial.verification;
  return line_of(
      row.problem.operation, to_text(row.problem.values), to_text(row.device.kind), row.device.name,
      row.device.compute_capability, row.device.partition, row.device.sm_count, to_text(row.policy),
      row.implementation, to_text(row.configuration.values), timing.median_us, timing.lower_us,
      timing.upper_us, timing.minimum_us, row.default_median_us, row.runner_up_median_us,
      row.measured, row.tie ? 1 : 0, resources.registers, resources.shared_bytes,
      resources.spill_bytes, resources.occupancy, timing.sm_mhz,
      verification ? fmt::format("{}", verification->worst_ratio) : "", row.trial.code_hash,
      row.environment.driver, row.environment.runtime, row.environment.compiler,
      row.environment.tool, row.epoch, row.sweep_uuid, row.finished, row.imported ? 1 : 0);
}

const std::optional<int>& limit_of(const BestRow& row) {
  return row.environment.power_limit_w;
}

}  // namespace

std::string export_csv(const std::vector<BestRow>& rows, std::vector<CsvColumn> columns) {
  if (std::ranges::any_of(rows, [](const BestRow& row) { return limit_of(row).has_value(); }))
    columns.insert(columns.begin(), {"power_limit_w", [](const BestRow& row) {
                                       return limit_of(row) ? fmt::format("{}", *limit_of(row))
                                                            : "";
                                     }});
  std::string text = kHeader;
  const auto append = [&](const std::string& cell) {
    text.back() = ',';  // in place of the line's end
    text += csv_field(cell) + '\n';
  };
  for (const CsvColumn& column : columns) append(column.name);
  for (const BestRow& row : rows) {
    text += line_of(row);
    for (const CsvColumn& column : columns) append(column.cell(row));
  }
  return text;
}

}  // namespace tilewright
