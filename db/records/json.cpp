// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "db/records/json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "db/records/json_fields.hpp"
#include "tilewright/error.hpp"

namespace tilewright {

namespace {

// canonical_json() escapes nothing, so what would need it must not come in.
void require_plain(const std::string& text) {
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) {
    return c > ' ' && c < 0x7f && c != '"' && c != '\\';
  });
  if (text.empty() || !plain)
    throw InputError(fmt::format("'{}' is not a name: letters, digits and '_' are accepted", text));
}

Configuration configuration_field(const Json& json, const char* key) {
  return {settings_from_json(field(json, key))};
}

}  // namespace

Json to_json(const Device& device) {
  return {{"kind", to_text(device.kind)},
          {"name", device.name},
          {"compute_capability", device.compute_capability},
          {"partition", device.partition},
          {"sm_count", device.sm_count},
          {"l2_bytes", device.l2_bytes},
          {"shared_bytes_per_block", device.shared_bytes_per_block},
          {"shared_bytes_per_sm", device.shared_bytes_per_sm},
          {"reserved_shared_bytes", device.reserved_shared_bytes},
          {"registers_per_block", device.registers_per_block},
          {"registers_per_sm", device.registers_per_sm},
          {"max_threads_per_block", device.max_threads_per_block},
          {"max_threads_per_sm", device.max_threads_per_sm},
          {"max_blocks_per_sm", device.max_blocks_per_sm},
          {"warp_size", device.warp_size},
          {"max_block", device.max_block},
          {"max_grid", device.max_grid}};
}

Device device_from_json(const Json& json) {
  Device device;
  device.kind = device_kind_from(text_field(json, "kind"));
  device.name = text_field(json, "name");
  device.compute_capability = int_field(json, "compute_capability");
  device.partition = text_field(json, "partition");
  device.sm_count = int_field(json, "sm_count");
  device.l2_bytes = integer_field(json, "l2_bytes");
  device.shared_bytes_per_block = integer_field(json, "shared_bytes_per_block");
  device.shared_bytes_per_sm = integer_field(json, "shared_bytes_per_sm");
  device.reserved_shared_bytes = integer_field(json, "reserved_shared_bytes");
  device.registers_per_block = integer_field(json, "registers_per_block");
  device.registers_per_sm = integer_field(json, "registers_per_sm");
  device.max_threads_per_block = integer_field(json, "max_threads_per_block");
  device.max_threads_per_sm = integer_field(json, "max_threads_per_sm");
  device.max_blocks_per_sm = integer_field(json, "max_blocks_per_sm");
  device.warp_size = integer_field(json, "warp_size");
  device.max_block = triple_field(json, "max_block");
  device.max_grid = triple_field(json, "max_grid");
  return device;
}

Json to_json(const Environment& environment) {
  return {{"driver", environment.driver},
          {"runtime", environment.runtime},
          {"compiler", environment.compiler},
          {"tool", environment.tool}};
}

Environment environment_from_json(const Json& json) {
  return {text_field(json, "driver"), text_field(json, "runtime"), text_field(json, "compiler"),
          text_field(json, "tool")};
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
  return {{"registers", resources.registers},
          {"shared_bytes", resources.shared_bytes},
          {"spill_bytes", resources.spill_bytes},
          {"stack_bytes", resources.stack_bytes},
          {"threads", resources.threads},
          {"blocks_per_sm", resources.blocks_per_sm},
          {"occupancy", real_to_json(resources.occupancy)}};
}

Resources resources_from_json(const Json& json) {
  Resources resources;
  resources.registers = int_field(json, "registers");
  resources.shared_bytes = integer_field(json, "shared_bytes");
  resources.spill_bytes = integer_field(json, "spill_bytes");
  resources.stack_bytes = integer_field(json, "stack_bytes");
  resources.threads = int_field(json, "threads");
  resources.blocks_per_sm = int_field(json, "blocks_per_sm");
  resources.occupancy = real_field(json, "occupancy");
  return resources;
}

Json to_json(const Verification& verification) {
  return {{"outputs_checked", verification.outputs_checked},
          {"outputs_total", verification.outputs_total},
          {"worst_error", real_to_json(verification.worst_error)},
          {"worst_ratio", real_to_json(verification.worst_ratio)},
          {"seed", verification.seed}};
}

Verification verification_from_json(const Json& json) {
  return {integer_field(json, "outputs_checked"), integer_field(json, "outputs_total"),
          real_field(json, "worst_error"), real_field(json, "worst_ratio"),
          unsigned_field(json, "seed")};
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
  return {{"median_us", real_to_json(timing.median_us)},
          {"interval_low_us", real_to_json(timing.interval_low_us)},
          {"interval_high_us", real_to_json(timing.interval_high_us)},
          {"lower_us", real_to_json(timing.lower_us)},
          {"upper_us", real_to_json(timing.upper_us)},
          {"minimum_us", real_to_json(timing.minimum_us)},
          {"calls_per_sample", timing.calls_per_sample},
          {"rounds", timing.rounds},
          {"sm_mhz", real_to_json(timing.sm_mhz)},
          {"samples_us", samples_to_json(timing.samples_us)}};
}

Timing timing_from_json(const Json& json) {
  Timing timing;
  timing.median_us = real_field(json, "median_us");
  timing.interval_low_us = real_field(json, "interval_low_us");
  timing.interval_high_us = real_field(json, "interval_high_us");
  timing.lower_us = real_field(json, "lower_us");
  timing.upper_us = real_field(json, "upper_us");
  timing.minimum_us = real_field(json, "minimum_us");
  timing.calls_per_sample = int_field(json, "calls_per_sample");
  timing.rounds = int_field(json, "rounds");
  timing.sm_mhz = real_field(json, "sm_mhz");
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
  trial.configuration = configuration_field(json, "configuration");
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
    throw InputError("'timing' is there exactly when 'outcome' is measured");
  return trial;
}

Json to_json(const ImplementationKey& key) {
  return {{"name", key.name},
          {"epoch", key.epoch},
          {"source_hash", key.source_hash},
          {"space_hash", key.space_hash},
          {"default_configuration", to_json(key.default_configuration.values)}};
}

ImplementationKey implementation_key_from_json(const Json& json) {
  return {text_field(json, "name"), integer_field(json, "epoch"), text_field(json, "source_hash"),
          text_field(json, "space_hash"), configuration_field(json, "default_configuration")};
}

Json to_json(const SweepKey& key) {
  Json implementations = Json::array();
  for (const auto& implementation : key.implementations)
    implementations.push_back(to_json(implementation));
  return {{"operation", key.operation},
          {"problem", to_json(key.problem)},
          {"device", to_json(key.device)},
          {"policy", to_json(key.policy)},
          {"implementations", std::move(implementations)},
          {"where", key.where},
          {"strategy", key.strategy},
          {"budget", key.budget},
          {"seed", key.seed}};
}

SweepKey sweep_key_from_json(const Json& json) {
  SweepKey key;
  key.operation = text_field(json, "operation");
  key.problem = problem_from_json(field(json, "problem"));
  key.device = device_from_json(field(json, "device"));
  key.policy = policy_from_json(field(json, "policy"));
  for (const Json& implementation : array_field(json, "implementations"))
    key.implementations.push_back(implementation_key_from_json(implementation));
  key.where = text_field(json, "where");
  key.strategy = text_field(json, "strategy");
  key.budget = static_cast<std::size_t>(unsigned_field(json, "budget"));
  key.seed = unsigned_field(json, "seed");
  return key;
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
