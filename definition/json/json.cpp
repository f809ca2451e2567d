#include "definition/json/json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "definition/operation.hpp"
#include "definition/text/errors.hpp"

namespace tilewright {

namespace {

[[noreturn]] void refuse(const char* key, const char* accepted) {
  throw bad_input("'{}' is not {}", key, accepted);
}

// canonical_json() escapes nothing, so texts that need escapes are refused.
void require_plain(const std::string& text) {
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) {
    return c > ' ' && c < 0x7f && c != '"' && c != '\\';
  });
  if (text.empty() || !plain)
    throw bad_input("'{}' is not a name: letters, digits and '_' are accepted", text);
}

Json default_of(const auto& number_or_label, const std::optional<Expression>& computed) {
  return computed ? Json(computed->text()) : Json(number_or_label);
}

}  // namespace

const Json& field(const Json& object, const char* key) {
  if (!object.is_object()) throw bad_input("an object with the key '{}' is expected", key);
  const auto found = object.find(key);
  if (found == object.end()) throw bad_input("'{}' is missing", key);
  return *found;
}

const Json& array_field(const Json& object, const char* key) {
  const Json& json = field(object, key);
  if (!json.is_array()) refuse(key, "an array");
  return json;
}

void read_value(const Json& json, const char* key, std::string& value) {
  if (!json.is_string()) refuse(key, "a text");
  json.get_to(value);
}

void read_value(const Json& json, const char* key, std::int64_t& value) {
  const bool too_large = json.is_number_unsigned() &&
                         json.get<std::uint64_t>() >
                             static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (!json.is_number_integer() || too_large) refuse(key, "an integer of 64 bits");
  json.get_to(value);
}

void read_value(const Json& json, const char* key, int& value) {
  std::int64_t wide = 0;
  read_value(json, key, wide);
  if (wide < std::numeric_limits<int>::min() || wide > std::numeric_limits<int>::max())
    refuse(key, "an integer of 32 bits");
  value = static_cast<int>(wide);
}

void read_value(const Json& json, const char* key, std::uint64_t& value) {
  if (!json.is_number_unsigned()) refuse(key, "an integer of 64 bits from 0 on");
  json.get_to(value);
}

void read_value(const Json& json, const char* key, double& value) {
  if (json.is_number())
    json.get_to(value);
  else if (json == "nan")
    value = std::numeric_limits<double>::quiet_NaN();
  else if (json == "inf")
    value = std::numeric_limits<double>::infinity();
  else if (json == "-inf")
    value = -std::numeric_limits<double>::infinity();
  else
    refuse(key, "a number, or one of \"nan\", \"inf\", \"-inf\"");
}

void read_value(const Json& json, const char* key, DeviceField::Triple& value) {
  if (!json.is_array()) refuse(key, "an array");
  if (json.size() != value.size()) refuse(key, "an array of three integers");
  for (std::size_t i = 0; i < value.size(); ++i) read_value(json[i], key, value.at(i));
}

void read_value(const Json& json, const char*, Settings& value) {
  value = settings_from_json(json);
}

Json real_to_json(double value) {
  if (std::isfinite(value)) return value;
  if (std::isnan(value)) return "nan";
  return value > 0 ? "inf" : "-inf";
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
      std::int64_t number = 0;
      read_value(item.value(), item.key().c_str(), number);
      settings[item.key()] = number;
    }
  }
  return settings;
}

Trial trial_from_json(const Json& json) {
  auto trial = from_json<Trial>(json);
  if (trial.timing.has_value() != (trial.outcome == Outcome::measured))
    throw InputError("'timing' must be present if, and only if, 'outcome' is measured");
  if (trial.warm_timing && !trial.timing)
    throw InputError("'warm_timing' must not be present without 'timing'");
  return trial;
}

Json describe(const Operation& operation) {
  Json dimensions = Json::array(), choices = Json::array(), arguments = Json::array();
  for (const Dimension& one : operation.dimensions)
    dimensions.push_back({{"name", one.name},
                          {"default", default_of(one.default_value, one.computed_default)},
                          {"role", kProblemRoles.at(static_cast<std::size_t>(one.role))}});
  for (const Choice& one : operation.choices)
    choices.push_back({{"name", one.name},
                       {"labels", one.labels},
                       {"default", default_of(one.default_label, one.computed_default)}});
  for (const Argument& one : operation.arguments)
    arguments.push_back({{"name", one.name},
                         {"kind", kArgumentKinds.at(static_cast<std::size_t>(one.kind))},
                         {"role", kArgumentRoles.at(static_cast<std::size_t>(one.role))},
                         {"count", one.count.text()}});
  return {{"name", operation.name},
          {"about", operation.about},
          {"dimensions", dimensions},
          {"choices", choices},
          {"arguments", arguments}};
}

template <>
DeviceKind from_name(const std::string& name) {
  return device_kind_from(name);
}

template <>
CachePolicy from_name(const std::string& name) {
  for (const CachePolicy cache : {CachePolicy::warm, CachePolicy::cold, CachePolicy::robust})
    if (name == to_text(cache)) return cache;
  throw bad_input("unknown cache policy '{}': known are warm, cold, robust", name);
}

template <>
Outcome from_name(const std::string& name) {
  if (const auto outcome = outcome_from(name)) return *outcome;
  throw bad_input("unknown outcome '{}': known are {}", name, fmt::join(kOutcomeNames, ", "));
}

template <>
Stage from_name(const std::string& name) {
  for (const Stage stage : {Stage::screen, Stage::final})
    if (name == to_text(stage)) return stage;
  throw bad_input("unknown stage '{}': known are screen, final", name);
}

}  // namespace tilewright
