#include "db/exchange/winners.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "db/records/border.hpp"
#include "definition/json/codec.hpp"
#include "definition/json/json.hpp"
#include "definition/text/errors.hpp"

namespace tilewright {

namespace {

constexpr const char* kWinnersFormat = "tilewright-winners";
constexpr std::int64_t kWinnersVersion = 1;

// The default or the runner-up, with its margin.
Json rival(const std::optional<Configuration>& configuration, double median_us, double winner_us) {
  Json json = Json::object();
  if (configuration) json["configuration"] = to_json(configuration->values);
  json["median_us"] = real_to_json(median_us);
  if (winner_us > 0) json["times_as_long"] = real_to_json(median_us / winner_us);
  return json;
}

Json timing_without_samples(const Timing& timing) {
  Json json = to_json(timing);
  json.erase("samples_us");
  return json;
}

Timing timing_from_summary(Json json) {
  if (json.is_object()) json["samples_us"] = Json::array();
  return from_json<Timing>(json);
}

// A total of 0 or a seed of 0 means that it is not known.
Json what_is_known(const Verification& verification) {
  Json json = to_json(verification);
  if (verification.outputs_total == 0) json.erase("outputs_total");
  if (verification.seed == 0) json.erase("seed");
  return json;
}

Verification verification_from_what_is_known(Json json) {
  for (const char* key : {"outputs_total", "seed"})
    if (json.is_object() && !json.contains(key)) json[key] = 0U;
  return from_json<Verification>(json);
}

Json winner_to_json(const BestRow& row, const MetricsOf& metrics_of) {
  Json json = {{"implementation", row.implementation},
               {"epoch", row.epoch},
               {"problem", to_json(row.problem.values)},
               {"configuration", to_json(row.configuration.values)},
               {"measured_at", row.finished}};
  if (row.trial.timing) json["timing"] = timing_without_samples(*row.trial.timing);
  if (row.trial.warm_timing) json["warm_timing"] = timing_without_samples(*row.trial.warm_timing);
  if (row.default_median_us > 0)
    json["default"] = rival(row.default_configuration, row.default_median_us, median_of(row.trial));
  if (row.runner_up_median_us > 0)
    json["runner_up"] = rival(row.runner_up, row.runner_up_median_us, median_of(row.trial));
  if (row.tie) json["tie"] = true;
  if (row.superseded) json["superseded"] = true;
  if (row.measured > 0) json["measured"] = row.measured;
  if (row.trial.verification) json["verification"] = what_is_known(*row.trial.verification);
  write_field(json, "resources", row.trial.resources);
  if (!row.trial.code_hash.empty()) json["code_hash"] = row.trial.code_hash;
  if (!row.source_hash.empty()) json["source_hash"] = row.source_hash;
  if (!row.sweep_uuid.empty()) json["sweep"] = row.sweep_uuid;
  if (row.imported) json["imported"] = true;
  if (!metrics_of) return json;
  const Json metrics = metrics_of(
      {row.problem, row.implementation, row.configuration, row.device, median_of(row.trial)});
  if (!metrics.empty()) json["metrics"] = metrics;
  return json;
}

auto subject_of(const BestRow& row) {
  return std::tuple(row.problem.operation, canonical_json(row.problem.values), row.implementation);
}

// The fields that a group's winners share.
std::string group_text(const BestRow& row) {
  return fmt::format("      \"device\": {},\n      \"environment\": {},\n      \"policy\": {},\n",
                     json_text(to_json(row.device)), json_text(to_json(row.environment)),
                     json_text(to_json(row.policy)));
}

// One key per line, so that a diff shows only the fields that changed.
std::string winner_text(const BestRow& row, const MetricsOf& metrics_of) {
  std::string text;
  const Json json = winner_to_json(row, metrics_of);
  for (const auto& item : json.items())
    text += fmt::format("{}          \"{}\": {}", text.empty() ? "" : ",\n", item.key(),
                        json_text(item.value()));
  return "        {\n" + text + "\n        }";
}

bool flag_of(const Json& json, const char* key) {
  return json.contains(key) && json[key] == true;
}

// Leaves the value as it is if the field is missing.
void read_optional(const Json& json, const char* key, auto& value) {
  if (json.contains(key)) read_field(json, key, value);
}

// The default or the runner-up.
void read_rival(const Json& json, const char* key, double& median_us,
                std::optional<Configuration>& configuration) {
  if (!json.contains(key)) return;
  at_place(fmt::format("'{}'", key), [&] {
    const Json& rival = json[key];
    read_field(rival, "median_us", median_us);
    if (rival.contains("configuration"))
      configuration = Configuration{settings_from_json(rival["configuration"])};
  });
}

Trial trial_from_winner(const Json& json, const std::string& implementation) {
  Trial trial;
  trial.implementation = implementation;
  read_field(json, "configuration", trial.configuration.values);
  trial.outcome = Outcome::measured;
  trial.stage = Stage::final;
  read_optional(json, "code_hash", trial.code_hash);
  trial.timing = timing_from_summary(field(json, "timing"));
  if (json.contains("warm_timing")) trial.warm_timing = timing_from_summary(json["warm_timing"]);
  if (json.contains("verification"))
    trial.verification = verification_from_what_is_known(json["verification"]);
  read_field(json, "resources", trial.resources);
  return trial;
}

// `row` has the fields of the group.
BestRow winner_from_json(const Json& json, BestRow row) {
  read_field(json, "implementation", row.implementation);
  const std::size_t slash = row.implementation.find('/');
  if (slash == std::string::npos)
    throw bad_input("'implementation' is '{}', not OPERATION/IMPLEMENTATION", row.implementation);
  read_field(json, "epoch", row.epoch);
  row.problem = {row.implementation.substr(0, slash), settings_from_json(field(json, "problem"))};
  row.trial = trial_from_winner(json, row.implementation);
  row.configuration = row.trial.configuration;
  read_field(json, "measured_at", row.finished);
  read_rival(json, "default", row.default_median_us, row.default_configuration);
  read_rival(json, "runner_up", row.runner_up_median_us, row.runner_up);
  row.tie = flag_of(json, "tie");
  row.superseded = flag_of(json, "superseded");
  row.imported = flag_of(json, "imported");
  read_optional(json, "measured", row.measured);
  read_optional(json, "source_hash", row.source_hash);
  read_optional(json, "sweep", row.sweep_uuid);
  require_possible(row);
  return row;
}

void read_group(const Json& json, std::vector<BestRow>& rows) {
  BestRow common;
  read_field(json, "device", common.device);
  read_field(json, "environment", common.environment);
  read_field(json, "policy", common.policy);
  std::size_t count = 0;
  for (const Json& winner : array_field(json, "winners"))
    rows.push_back(at_place(fmt::format("winner {}", ++count),
                            [&] { return winner_from_json(winner, common); }));
}

void require_one_each(const std::vector<BestRow>& rows) {
  std::set<std::string> seen;
  for (const BestRow& row : rows)
    if (!seen.insert(row.implementation + canonical_json(row.problem.values) + to_text(row.policy) +
                     json_text(to_json(row.device)) +
                     std::to_string(row.environment.power_limit_w.value_or(0)))
             .second)
      throw bad_input("two winners of {} for {} on {}", row.implementation,
                      to_text(row.problem.values), row.device.name);
}

void require_winners(const Json& document) {
  if (!document.is_object() || !document.contains("format") || document["format"] != kWinnersFormat)
    throw bad_input("not a file of winners: \"format\": \"{}\" is expected", kWinnersFormat);
  std::int64_t version = 0;
  read_field(document, "version", version);
  if (version != kWinnersVersion)
    throw bad_input("version {} of winners is not known, {} is: use a newer tilewright", version,
                    kWinnersVersion);
}

}  // namespace

std::string export_winners(const std::vector<BestRow>& rows, const std::string& about,
                           const MetricsOf& metrics_of) {
  std::map<std::string, std::vector<const BestRow*>> groups;
  for (const BestRow& row : rows) groups[group_text(row)].push_back(&row);
  std::string text;
  for (auto& [common, winners] : groups) {
    std::ranges::stable_sort(winners, {}, [](const BestRow* row) { return subject_of(*row); });
    std::string list;
    for (const BestRow* row : winners)
      list += (list.empty() ? "" : ",\n") + winner_text(*row, metrics_of);
    text += fmt::format("{}    {{\n{}      \"winners\": [\n{}\n      ]\n    }}",
                        text.empty() ? "" : ",\n", common, list);
  }
  return fmt::format(
      "{{\n  \"format\": \"{}\",\n  \"version\": {},\n  \"about\": {},\n  \"groups\": [{}]\n}}\n",
      kWinnersFormat, kWinnersVersion, json_text(Json(about)),
      text.empty() ? "" : "\n" + text + "\n  ");
}

std::vector<BestRow> import_winners(std::string_view text, const std::string& name) {
  return at_place(fmt::format("'{}'", name), [&] {
    const Json document = parse_document(text);
    require_winners(document);
    std::vector<BestRow> rows;
    std::size_t count = 0;
    for (const Json& group : array_field(document, "groups"))
      at_place(fmt::format("group {}", ++count), [&] { read_group(group, rows); });
    require_one_each(rows);
    return rows;
  });
}

std::string with_source_hashes(std::string_view text, const std::vector<std::string>& hashes) {
  constexpr std::string_view key =
      "\"source_hash\": \"";  // nowhere else: within a text, \" stands for "
  std::string changed;
  std::size_t count = 0;
  std::size_t from = 0;
  for (std::size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, from)) {
    const std::size_t begin = at + key.size();
    changed += text.substr(from, begin - from);
    if (count < hashes.size()) changed += hashes[count];
    ++count;
    from = std::min(text.find('"', begin), text.size());
  }
  if (count != hashes.size())
    throw bad_input(
        "{} source hashes are in the file where {} winners have one: write it again with "
        "`tilewright export --format winners`",
        count, hashes.size());
  return changed.append(text.substr(from));
}

bool are_winners(std::string_view text) {
  constexpr std::size_t head = 200;  // the key comes first
  return text.substr(0, head).find(fmt::format("\"{}\"", kWinnersFormat)) != std::string_view::npos;
}

}  // namespace tilewright
