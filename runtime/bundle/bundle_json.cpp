// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "runtime/bundle/bundle_json.hpp"

#include <nlohmann/json.hpp>

#include "tuner/worker/messages.hpp"

namespace tilewright {
namespace {

using Json = nlohmann::json;

Json settings_to_json(const Settings& settings) {
  Json json = Json::object();
  for (const auto& [name, value] : settings)
    std::visit([&, &key = name](const auto& plain) { json[key] = plain; }, value);
  return json;
}

Settings settings_from(const Json& json) {
  Settings settings;
  for (const auto& [name, value] : json.items())
    settings[name] =
        value.is_string() ? Value(value.get<std::string>()) : Value(value.get<std::int64_t>());
  return settings;
}

template <class Enum>
Enum enum_from(const Json& json, Enum last) {
  const int number = json.get<int>();
  if (number < 0 || number > static_cast<int>(last))
    throw Json::type_error::create(302, "enumerator out of range", &json);
  return static_cast<Enum>(number);
}

Json policy_to_json(const Policy& policy) {
  return {{"cache", static_cast<int>(policy.cache)}, {"submission", policy.submission}};
}

Policy policy_from(const Json& json) {
  return {enum_from(json.at("cache"), CachePolicy::cold), json.at("submission").get<std::string>()};
}

Json answer_to_json(const Answer& answer) {
  return {{"implementation", answer.implementation},
          {"configuration", settings_to_json(answer.configuration.values)},
          {"operation", answer.problem.operation},
          {"problem", settings_to_json(answer.problem.values)},
          {"rung", static_cast<int>(answer.rung)},
          {"distance", answer.distance},
          {"measured_problem", settings_to_json(answer.measured_problem.values)},
          {"measured_device", answer.measured_device},
          {"median_us", answer.median_us},
          {"policy", policy_to_json(answer.policy)},
          {"origin", static_cast<int>(answer.origin)},
          {"measured_at", answer.measured_at},
          {"reason", answer.reason}};
}

Answer answer_from(const Json& json) {
  Answer answer;
  json.at("implementation").get_to(answer.implementation);
  answer.configuration.values = settings_from(json.at("configuration"));
  json.at("operation").get_to(answer.problem.operation);
  answer.problem.values = settings_from(json.at("problem"));
  answer.rung = enum_from(json.at("rung"), Rung::none);
  json.at("distance").get_to(answer.distance);
  answer.measured_problem = {answer.problem.operation, settings_from(json.at("measured_problem"))};
  json.at("measured_device").get_to(answer.measured_device);
  json.at("median_us").get_to(answer.median_us);
  answer.policy = policy_from(json.at("policy"));
  answer.origin = enum_from(json.at("origin"), Origin::shipped);
  json.at("measured_at").get_to(answer.measured_at);
  json.at("reason").get_to(answer.reason);
  return answer;
}

Json argument_to_json(const RecipeArgument& argument) {
  const KernelArgument& asked = argument.asked;
  return {{"name", asked.name},
          {"kind", static_cast<int>(asked.kind)},
          {"type", static_cast<int>(asked.type)},
          {"role", static_cast<int>(asked.role)},
          {"count", asked.count},
          {"by_value", asked.by_value},
          {"capacity", argument.capacity},
          {"value", Json::binary(argument.value)}};
}

RecipeArgument argument_from(const Json& json) {
  RecipeArgument argument;
  json.at("name").get_to(argument.asked.name);
  argument.asked.kind = enum_from(json.at("kind"), ArgumentKind::array);
  argument.asked.type = enum_from(json.at("type"), ElementType::uint8);
  argument.asked.role = enum_from(json.at("role"), ArgumentRole::inout);
  json.at("count").get_to(argument.asked.count);
  json.at("by_value").get_to(argument.asked.by_value);
  json.at("capacity").get_to(argument.capacity);
  argument.value = json.at("value").get_binary();
  return argument;
}

Json device_to_json(const Device& device) {
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

Device device_from(const Json& json) {
  Device device;
  device.kind = device_kind_from(json.at("kind").get<std::string>());
  json.at("name").get_to(device.name);
  json.at("compute_capability").get_to(device.compute_capability);
  json.at("partition").get_to(device.partition);
  json.at("sm_count").get_to(device.sm_count);
  json.at("l2_bytes").get_to(device.l2_bytes);
  json.at("shared_bytes_per_block").get_to(device.shared_bytes_per_block);
  json.at("shared_bytes_per_sm").get_to(device.shared_bytes_per_sm);
  json.at("reserved_shared_bytes").get_to(device.reserved_shared_bytes);
  json.at("registers_per_block").get_to(device.registers_per_block);
  json.at("registers_per_sm").get_to(device.registers_per_sm);
  json.at("max_threads_per_block").get_to(device.max_threads_per_block);
  json.at("max_threads_per_sm").get_to(device.max_threads_per_sm);
  json.at("max_blocks_per_sm").get_to(device.max_blocks_per_sm);
  json.at("warp_size").get_to(device.warp_size);
  json.at("max_block").get_to(device.max_block);
  json.at("max_grid").get_to(device.max_grid);
  return device;
}

// The launches travel as they do to a worker, without code.
Json launches_to_json(const BundledRecipe& bundled) {
  return KernelPlan{{}, {}, {bundled.recipe.launches}};
}

}  // namespace

void to_json(Json& json, const BundledRecipe& value) {
  Json arguments = Json::array();
  for (const RecipeArgument& argument : value.recipe.arguments)
    arguments.push_back(argument_to_json(argument));
  json = {{"answer", answer_to_json(value.recipe.answer)},
          {"label", value.recipe.label},
          {"device", device_to_json(value.recipe.device)},
          {"architecture", value.recipe.architecture},
          {"arguments", std::move(arguments)},
          {"kernel", launches_to_json(value)},
          {"defaulted", value.defaulted},
          {"aliases", value.aliases},
          {"build", value.build}};
}

void from_json(const Json& json, BundledRecipe& value) {
  Recipe& recipe = value.recipe;
  recipe.answer = answer_from(json.at("answer"));
  json.at("label").get_to(recipe.label);
  recipe.device = device_from(json.at("device"));
  json.at("architecture").get_to(recipe.architecture);
  for (const Json& argument : json.at("arguments"))
    recipe.arguments.push_back(argument_from(argument));
  const auto kernel = json.at("kernel").get<KernelPlan>();
  recipe.launches = kernel.launches.at(0);
  json.at("defaulted").get_to(value.defaulted);
  json.at("aliases").get_to(value.aliases);
  json.at("build").get_to(value.build);
}

void to_json(Json& json, const BundledBuild& value) {
  json = {{"code", value.code_hash}, {"symbols", value.symbols}};
}

void from_json(const Json& json, BundledBuild& value) {
  json.at("code").get_to(value.code_hash);
  json.at("symbols").get_to(value.symbols);
}

void to_json(Json& json, const ManifestText& value) {
  json = {{"name", value.name}, {"text", value.text}};
}

void from_json(const Json& json, ManifestText& value) {
  json.at("name").get_to(value.name);
  json.at("text").get_to(value.text);
}

void to_json(Json& json, const BestRow& value) {
  json = {{"implementation", value.implementation},
          {"epoch", value.epoch},
          {"configuration", settings_to_json(value.configuration.values)},
          {"operation", value.problem.operation},
          {"problem", settings_to_json(value.problem.values)},
          {"device", device_to_json(value.device)},
          {"policy", policy_to_json(value.policy)},
          {"median_us", value.trial.timing ? value.trial.timing->median_us : 0},
          {"verified", value.trial.verification.has_value()},
          {"measured_at", value.finished},
          {"imported", value.imported},
          {"shipped", value.shipped}};
}

void from_json(const Json& json, BestRow& value) {
  json.at("implementation").get_to(value.implementation);
  json.at("epoch").get_to(value.epoch);
  value.configuration.values = settings_from(json.at("configuration"));
  json.at("operation").get_to(value.problem.operation);
  value.problem.values = settings_from(json.at("problem"));
  value.device = device_from(json.at("device"));
  value.policy = policy_from(json.at("policy"));
  value.trial.timing.emplace().median_us = json.at("median_us").get<double>();
  if (json.at("verified").get<bool>()) value.trial.verification.emplace();
  json.at("measured_at").get_to(value.finished);
  json.at("imported").get_to(value.imported);
  json.at("shipped").get_to(value.shipped);
}

void to_json(Json& json, const PortableRow& value) {
  json = {{"device", device_to_json(value.device)},
          {"implementation", value.implementation},
          {"epoch", value.epoch},
          {"configuration", settings_to_json(value.configuration.values)},
          {"mean_ratio", value.mean_ratio},
          {"measured", value.measured},
          {"tuned", value.tuned},
          {"shared_bytes", value.shared_bytes}};
}

void from_json(const Json& json, PortableRow& value) {
  value.device = device_from(json.at("device"));
  json.at("implementation").get_to(value.implementation);
  json.at("epoch").get_to(value.epoch);
  value.configuration.values = settings_from(json.at("configuration"));
  json.at("mean_ratio").get_to(value.mean_ratio);
  json.at("measured").get_to(value.measured);
  json.at("tuned").get_to(value.tuned);
  json.at("shared_bytes").get_to(value.shared_bytes);
}

}  // namespace tilewright
