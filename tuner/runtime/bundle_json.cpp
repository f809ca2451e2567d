// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tuner/runtime/bundle_json.hpp"

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
          {"cache", static_cast<int>(answer.policy.cache)},
          {"submission", answer.policy.submission},
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
  answer.policy.cache = enum_from(json.at("cache"), CachePolicy::cold);
  json.at("submission").get_to(answer.policy.submission);
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
  return {{"kind", device.kind},
          {"name", device.name},
          {"compute_capability", device.compute_capability},
          {"partition", device.partition},
          {"sm_count", device.sm_count}};
}

Device device_from(const Json& json) {
  Device device;
  json.at("kind").get_to(device.kind);
  json.at("name").get_to(device.name);
  json.at("compute_capability").get_to(device.compute_capability);
  json.at("partition").get_to(device.partition);
  json.at("sm_count").get_to(device.sm_count);
  return device;
}

// The launches travel as they do to a worker, without code.
Json launches_to_json(const BundledRecipe& bundled) {
  return KernelPlan{{}, bundled.symbols, {bundled.recipe.launches}};
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
          {"code", value.code_hash}};
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
  value.symbols = kernel.symbols;
  json.at("defaulted").get_to(value.defaulted);
  json.at("aliases").get_to(value.aliases);
  json.at("code").get_to(value.code_hash);
}

}  // namespace tilewright
