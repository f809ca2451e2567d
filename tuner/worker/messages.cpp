// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tuner/worker/messages.hpp"

#include <nlohmann/json.hpp>

namespace tilewright {
namespace {

using Json = nlohmann::json;

Outcome outcome_of(const Json& json) {
  const auto outcome = outcome_from(json.get_ref<const std::string&>());
  if (!outcome) throw Json::type_error::create(302, "not an outcome", &json);
  return *outcome;
}

}  // namespace

void to_json(Json& json, const CompileRequest& value) {
  json = {{"source", value.source},   {"source_name", value.source_name},
          {"headers", value.headers}, {"options", value.options},
          {"entries", value.entries}, {"architecture", value.architecture}};
}

void from_json(const Json& json, CompileRequest& value) {
  json.at("source").get_to(value.source);
  json.at("source_name").get_to(value.source_name);
  json.at("headers").get_to(value.headers);
  json.at("options").get_to(value.options);
  json.at("entries").get_to(value.entries);
  json.at("architecture").get_to(value.architecture);
}

void to_json(Json& json, const CompileResult& value) {
  Json entries = Json::object();
  for (const auto& [name, entry] : value.entries)
    entries[name] = {{"symbol", entry.symbol}, {"resources", entry.resources}};
  json = {{"outcome", std::string(to_text(value.outcome))},
          {"log", value.log},
          {"code", Json::binary(value.code)},
          {"code_hash", value.code_hash},
          {"entries", std::move(entries)},
          {"milliseconds", value.milliseconds}};
}

void from_json(const Json& json, CompileResult& value) {
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

void to_json(Json& json, const SampleRequest& value) {
  Json gates = Json::array();
  for (const Gate& gate : value.gates) gates.push_back({gate.samples, gate.over_us});
  json = {{"minimum_samples", value.minimum_samples},
          {"maximum_samples", value.maximum_samples},
          {"sample_us", value.sample_us},
          {"budget_us", value.budget_us},
          {"long_us", value.long_us},
          {"gates", gates}};
}

void from_json(const Json& json, SampleRequest& value) {
  json.at("minimum_samples").get_to(value.minimum_samples);
  json.at("maximum_samples").get_to(value.maximum_samples);
  json.at("sample_us").get_to(value.sample_us);
  json.at("budget_us").get_to(value.budget_us);
  json.at("long_us").get_to(value.long_us);
  value.gates.clear();
  for (const Json& gate : json.at("gates"))
    value.gates.push_back({gate.at(0).get<int>(), gate.at(1).get<double>()});
}

void to_json(Json& json, const Resources& value) {
  json = {{"registers", value.registers},     {"shared_bytes", value.shared_bytes},
          {"spill_bytes", value.spill_bytes}, {"stack_bytes", value.stack_bytes},
          {"threads", value.threads},         {"blocks_per_sm", value.blocks_per_sm},
          {"occupancy", value.occupancy}};
}

void from_json(const Json& json, Resources& value) {
  json.at("registers").get_to(value.registers);
  json.at("shared_bytes").get_to(value.shared_bytes);
  json.at("spill_bytes").get_to(value.spill_bytes);
  json.at("stack_bytes").get_to(value.stack_bytes);
  json.at("threads").get_to(value.threads);
  json.at("blocks_per_sm").get_to(value.blocks_per_sm);
  json.at("occupancy").get_to(value.occupancy);
}

void to_json(Json& json, const Verification& value) {
  json = {{"outputs_checked", value.outputs_checked},
          {"outputs_total", value.outputs_total},
          {"worst_error", value.worst_error},
          {"worst_ratio", value.worst_ratio},
          {"seed", value.seed}};
}

void from_json(const Json& json, Verification& value) {
  json.at("outputs_checked").get_to(value.outputs_checked);
  json.at("outputs_total").get_to(value.outputs_total);
  json.at("worst_error").get_to(value.worst_error);
  json.at("worst_ratio").get_to(value.worst_ratio);
  json.at("seed").get_to(value.seed);
}

void to_json(Json& json, const Timing& value) {
  json = {{"samples_us", value.samples_us},
          {"median_us", value.median_us},
          {"lower_us", value.lower_us},
          {"upper_us", value.upper_us},
          {"minimum_us", value.minimum_us},
          {"calls_per_sample", value.calls_per_sample},
          {"sm_mhz", value.sm_mhz},
          {"rounds", value.rounds},
          {"interval_low_us", value.interval_low_us},
          {"interval_high_us", value.interval_high_us}};
}

void from_json(const Json& json, Timing& value) {
  json.at("samples_us").get_to(value.samples_us);
  json.at("median_us").get_to(value.median_us);
  json.at("lower_us").get_to(value.lower_us);
  json.at("upper_us").get_to(value.upper_us);
  json.at("minimum_us").get_to(value.minimum_us);
  json.at("calls_per_sample").get_to(value.calls_per_sample);
  json.at("sm_mhz").get_to(value.sm_mhz);
  json.at("rounds").get_to(value.rounds);
  json.at("interval_low_us").get_to(value.interval_low_us);
  json.at("interval_high_us").get_to(value.interval_high_us);
}

void to_json(Json& json, const Failure& value) {
  json = {{"outcome", std::string(to_text(value.outcome))}, {"message", value.message}};
}

void from_json(const Json& json, Failure& value) {
  value.outcome = outcome_of(json.at("outcome"));
  json.at("message").get_to(value.message);
}

}  // namespace tilewright
