#include "tuner/worker/messages.hpp"

#include "definition/json/json.hpp"

namespace tilewright {
namespace {

using Message = nlohmann::json;

Outcome outcome_of(const Message& json) {
  return as_library_error([&json] { return from_name<Outcome>(json.get<std::string>()); });
}

}  // namespace

void to_json(Message& json, const CompileRequest& value) {
  json = {{"source", value.source},   {"source_name", value.source_name},
          {"headers", value.headers}, {"options", value.options},
          {"entries", value.entries}, {"architecture", value.architecture}};
}

void from_json(const Message& json, CompileRequest& value) {
  json.at("source").get_to(value.source);
  json.at("source_name").get_to(value.source_name);
  json.at("headers").get_to(value.headers);
  json.at("options").get_to(value.options);
  json.at("entries").get_to(value.entries);
  json.at("architecture").get_to(value.architecture);
}

void to_json(Message& json, const CompileResult& value) {
  Message entries = Message::object();
  for (const auto& [name, entry] : value.entries)
    entries[name] = {{"symbol", entry.symbol}, {"resources", entry.resources}};
  json = {{"outcome", std::string(to_text(value.outcome))},
          {"log", value.log},
          {"code", Message::binary(value.code)},
          {"code_hash", value.code_hash},
          {"entries", std::move(entries)},
          {"milliseconds", value.milliseconds}};
}

void from_json(const Message& json, CompileResult& value) {
  value.outcome = outcome_of(json.at("outcome"));
  json.at("log").get_to(value.log);
  value.code = json.at("code").get_binary();
  json.at("code_hash").get_to(value.code_hash);
  value.entries.clear();
  for (const auto& [name, entry] : json.at("entries").items())
    value.entries[name] = {entry.at("symbol").get<std::string>(),
                           entry.at("resources").get<Resources>()};
  json.at("milliseconds").get_to(value.milliseconds);
}

void to_json(Message& json, const SampleRequest& value) {
  Message gates = Message::array();
  for (const Gate& gate : value.gates) gates.push_back({gate.samples, gate.over_us});
  json = {{"minimum_samples", value.minimum_samples},
          {"maximum_samples", value.maximum_samples},
          {"sample_us", value.sample_us},
          {"budget_us", value.budget_us},
          {"long_us", value.long_us},
          {"gates", gates}};
}

void from_json(const Message& json, SampleRequest& value) {
  json.at("minimum_samples").get_to(value.minimum_samples);
  json.at("maximum_samples").get_to(value.maximum_samples);
  json.at("sample_us").get_to(value.sample_us);
  json.at("budget_us").get_to(value.budget_us);
  json.at("long_us").get_to(value.long_us);
  value.gates.clear();
  for (const Message& gate : json.at("gates"))
    value.gates.push_back({gate.at(0).get<int>(), gate.at(1).get<double>()});
}

void to_json(Message& json, const Resources& value) {
  json = to_json(value);
}

void from_json(const Message& json, Resources& value) {
  value = as_library_error([&json] { return from_json<Resources>(json); });
}

void to_json(Message& json, const Verification& value) {
  json = to_json(value);
}

void from_json(const Message& json, Verification& value) {
  value = as_library_error([&json] { return from_json<Verification>(json); });
}

void to_json(Message& json, const Timing& value) {
  json = to_json(value);
}

void from_json(const Message& json, Timing& value) {
  value = as_library_error([&json] { return from_json<Timing>(json); });
}

void to_json(Message& json, const Failure& value) {
  json = {{"outcome", std::string(to_text(value.outcome))}, {"message", value.message}};
}

void from_json(const Message& json, Failure& value) {
  value.outcome = outcome_of(json.at("outcome"));
  json.at("message").get_to(value.message);
}

}  // namespace tilewright
