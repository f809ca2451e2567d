#include "definition/json/json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <type_traits>

#include "definition/fields.hpp"
#include "definition/json/json_fields.hpp"
#include "tilewright/error.hpp"

namespace tilewright {

namespace {

// canonical_json() escapes nothing, so texts that need escapes are refused.
void require_plain(const std::string& text) {
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) {
    return c > ' ' && c < 0x7f && c != '"' && c != '\\';
  });
  if (text.empty() || !plain)
    throw InputError(fmt::format("'{}' is not a name: letters, digits and '_' are accepted", text));
}

template <class Field>
Json field_to_json(const Field& value) {
  if constexpr (std::is_same_v<Field, DeviceKind>)
    return to_text(value);
  else if constexpr (std::is_floating_point_v<Field>)
    return real_to_json(value);
  else
    return value;
}

template <class Field>
void read_field(const Json& json, const char* key, Field& value) {
  if constexpr (std::is_same_v<Field, DeviceKind>)
    value = device_kind_from(text_field(json, key));
  else if constexpr (std::is_same_v<Field, std::string>)
    value = text_field(json, key);
  else if constexpr (std::is_same_v<Field, int>)
    value = int_field(json, key);
  else if constexpr (std::is_same_v<Field, std::int64_t>)
    value = integer_field(json, key);
  else if constexpr (std::is_same_v<Field, std::uint64_t>)
    value = unsigned_field(json, key);
  else if constexpr (std::is_same_v<Field, double>)
    value = real_field(json, key);
  else
    value = triple_field(json, key);
}

template <class Struct>
Json fields_to_json(const Struct& value) {
  Json json = Json::object();
  for_each_field(
      value, [&json](const char* name, const auto& field) { json[name] = field_to_json(field); });
  return json;
}

template <class Struct>
Struct fields_from_json(const Json& json) {
  Struct value;
  for_each_field(value, [&json](const char* name, auto& field) { read_field(json, name, field); });
  return value;
}

}  // namespace

Json to_json(const Device& device) {
  Json json = Json::object();
  for_each_field(device, [&json](const DeviceField& field, const auto& value) {
    json[field.name] = field_to_json(value);
  });
  return json;
}

Device device_from_json(const Json& json) {
  Device device;
  for_each_field(device, [&json](const DeviceField& field, auto& value) {
    read_field(json, field.name, value);
  });
  return device;
}

Json to_json(const Environment& environment) {
  return fields_to_json(environment);
}

Environment environment_from_json(const Json& json) {
  return fields_from_json<Environment>(json);
}

Json to_json(const Policy& policy) {
  return {{"cache", to_text(policy.cache)}, {"submission", policy.submission}};
}

Policy policy_from_json(const Json& json) {
  return {cache_policy_from_name(text_field(json, "cache")), text_field(json, "submission")};
}

Json to_json(const Settings& settings) {
  Json json = Json::object();
  for (const auto& [name, value] : settings)
    std::visit([&json, &key = name](const auto& held) { json[key] = held; }, value);
  return json;
}

Settings settings_from_json(const Json& json) {
  if (!json.is_object()) throw InputError("settings are an object of names and values");
  Settings settings;
  for (const auto& item : json.items()) {
    require_plain(item.key());
    if (item.value().is_string()) {
      const auto label = item.value().get<std::string>();
      require_plain(label);
      settings[item.key()] = label;
    } else {
      settings[item.key()] = integer_field(json, item.key().c_str());
    }
  }
  return settings;
}

Json to_json(const Problem& problem) {
  return {{"operation", problem.operation}, {"values", to_json(problem.values)}};
}

Problem problem_from_json(const Json& json) {
  return {text_field(json, "operation"), settings_from_json(field(json, "values"))};
}

Json to_json(const Resources& resources) {
  return fields_to_json(resources);
}

Resources resources_from_json(const Json& json) {
  return fields_from_json<Resources>(json);
}

Json to_json(const Verification& verification) {
  return fields_to_json(verification);
}

Verification verification_from_json(const Json& json) {
  return fields_from_json<Verification>(json);
}

Json samples_to_json(const std::vector<double>& samples) {
  Json json = Json::array();
  for (const double sample : samples) json.push_back(real_to_json(sample));
  return json;
}

std::vector<double> samples_from_json(const Json& json) {
  if (!json.is_array()) throw InputError("'samples_us' is not an array");
  std::vector<double> samples;
  for (const Json& sample : json) samples.push_back(real_from_json(sample, "samples_us"));
  return samples;
}

Json to_json(const Timing& timing) {
  Json json = fields_to_json(timing);
  json["samples_us"] = samples_to_json(timing.samples_us);
  return json;
}

Timing timing_from_json(const Json& json) {
  auto timing = fields_from_json<Timing>(json);
  timing.samples_us = samples_from_json(field(json, "samples_us"));
  return timing;
}

Json to_json(const Trial& trial) {
  Json json = {{"implementation", trial.implementation},
               {"configuration", to_json(trial.configuration.values)},
               {"outcome", to_text(trial.outcome)},
               {"stage", to_text(trial.stage)},
               {"rule", trial.rule},
               {"message", trial.message},
               {"code_hash", trial.code_hash},
               {"compile_ms", real_to_json(trial.compile_ms)}};
  if (trial.resources) json["resources"] = to_json(*trial.resources);
  if (trial.verification) json["verification"] = to_json(*trial.verification);
  if (trial.timing) json["timing"] = to_json(*trial.timing);
  return json;
}

Trial trial_from_json(const Json& json) {
  Trial trial;
  trial.implementation = text_field(json, "implementation");
  trial.configuration = {settings_from_json(field(json, "configuration"))};
  trial.outcome = outcome_from_name(text_field(json, "outcome"));
  trial.stage = stage_from_name(text_field(json, "stage"));
  trial.rule = text_field(json, "rule");
  trial.message = text_field(json, "message");
  trial.code_hash = text_field(json, "code_hash");
  trial.compile_ms = real_field(json, "compile_ms");
  if (json.contains("resources")) trial.resources = resources_from_json(json["resources"]);
  if (json.contains("verification"))
    trial.verification = verification_from_json(json["verification"]);
  if (json.contains("timing")) trial.timing = timing_from_json(json["timing"]);
  if (trial.timing.has_value() != (trial.outcome == Outcome::measured))
    throw InputError("'timing' must be present if, and only if, 'outcome' is measured");
  return trial;
}

Outcome outcome_from_name(const std::string& name) {
  if (const auto outcome = outcome_from(name)) return *outcome;
  throw InputError(
      fmt::format("unknown outcome '{}': known are {}", name, fmt::join(kOutcomeNames, ", ")));
}

Stage stage_from_name(const std::string& name) {
  for (const Stage stage : {Stage::screen, Stage::final})
    if (name == to_text(stage)) return stage;
  throw InputError(fmt::format("unknown stage '{}': known are screen, final", name));
}

CachePolicy cache_policy_from_name(const std::string& name) {
  for (const CachePolicy cache : {CachePolicy::warm, CachePolicy::cold})
    if (name == to_text(cache)) return cache;
  throw InputError(fmt::format("unknown cache policy '{}': known are warm, cold", name));
}

}  // namespace tilewright
