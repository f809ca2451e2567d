#include "runtime/bundle/bundle_json.hpp"

#include <fmt/format.h>

#include <utility>

#include "db/ladder/ladder.hpp"
#include "db/ladder/present.hpp"
#include "definition/json/json.hpp"
#include "tuner/worker/messages.hpp"

namespace tilewright {
namespace {

using BundleJson = nlohmann::json;

BundleJson policy_to_json(const Policy& policy) {
  return {{"cache", static_cast<int>(policy.cache)}, {"submission", policy.submission}};
}

Policy policy_from(const BundleJson& json) {
  return {enum_from_number(json.at("cache"), CachePolicy::robust),
          json.at("submission").get<std::string>()};
}

constexpr const char* kPowerLimit = "power_limit_w";  // missing: not known
constexpr const char* kOtherSource = "other_source";  // missing: false

void write_limit(BundleJson& json, const std::optional<int>& limit_w) {
  if (limit_w) json[kPowerLimit] = *limit_w;
}

std::optional<int> limit_from(const BundleJson& json) {
  if (!json.contains(kPowerLimit)) return std::nullopt;
  int limit_w = 0;
  get_value(json.at(kPowerLimit), limit_w);
  return limit_w;
}

BundleJson answer_to_json(const Answer& answer) {
  BundleJson json = {{"implementation", answer.implementation},
                     {"configuration", to_json(answer.configuration.values)},
                     {"operation", answer.problem.operation},
                     {"problem", to_json(answer.problem.values)},
                     {"rung", static_cast<int>(answer.rung)},
                     {"distance", answer.distance},
                     {"measured_problem", to_json(answer.measured_problem.values)},
                     {"measured_device", answer.measured_device},
                     {"median_us", answer.median_us},
                     {"warm_median_us", answer.warm_median_us},
                     {"policy", policy_to_json(answer.policy)},
                     {"origin", static_cast<int>(answer.origin)},
                     {"measured_at", answer.measured_at},
                     {"reason", answer.reason}};
  write_limit(json, answer.power_limit_w);
  if (answer.stale) json[kOtherSource] = true;  // a bundle keeps no other reason
  return json;
}

Answer answer_from(const BundleJson& json) {
  Answer answer;
  get_value(json.at("implementation"), answer.implementation);
  answer.configuration.values = settings_from_json(json.at("configuration"));
  get_value(json.at("operation"), answer.problem.operation);
  answer.problem.values = settings_from_json(json.at("problem"));
  answer.rung = enum_from_number(json.at("rung"), Rung::none);
  get_value(json.at("distance"), answer.distance);
  answer.measured_problem = {answer.problem.operation,
                             settings_from_json(json.at("measured_problem"))};
  get_value(json.at("measured_device"), answer.measured_device);
  get_value(json.at("median_us"), answer.median_us);
  answer.warm_median_us = json.value("warm_median_us", 0.0);
  answer.policy = policy_from(json.at("policy"));
  answer.origin = enum_from_number(json.at("origin"), Origin::shipped);
  get_value(json.at("measured_at"), answer.measured_at);
  get_value(json.at("reason"), answer.reason);
  answer.power_limit_w = limit_from(json);
  if (json.value(kOtherSource, false)) add_stale(answer, other_source_text(answer.implementation));
  return answer;
}

BundleJson argument_to_json(const RecipeArgument& argument) {
  const KernelArgument& asked = argument.asked;
  return {{"name", asked.name},
          {"kind", static_cast<int>(asked.kind)},
          {"type", static_cast<int>(asked.type)},
          {"role", static_cast<int>(asked.role)},
          {"count", asked.count},
          {"by_value", asked.by_value},
          {"capacity", argument.capacity},
          {"value", BundleJson::binary(argument.value)}};
}

RecipeArgument argument_from(const BundleJson& json) {
  RecipeArgument argument;
  get_value(json.at("name"), argument.asked.name);
  argument.asked.kind = enum_from_number(json.at("kind"), ArgumentKind::array);
  argument.asked.type = enum_from_number(json.at("type"), kLastElementType);
  argument.asked.role = enum_from_number(json.at("role"), ArgumentRole::inout);
  get_value(json.at("count"), argument.asked.count);
  get_value(json.at("by_value"), argument.asked.by_value);
  get_value(json.at("capacity"), argument.capacity);
  argument.value = json.at("value").get_binary();
  return argument;
}

// Launches are written in the form that is also sent to workers, without code.
BundleJson launches_to_json(const BundledRecipe& bundled) {
  return KernelPlan{{}, {}, {bundled.recipe.launches}};
}

}  // namespace

static void to_json(BundleJson& json, const BundledRecipe& value) {
  BundleJson arguments = BundleJson::array();
  for (const RecipeArgument& argument : value.recipe.arguments)
    arguments.push_back(argument_to_json(argument));
  json = {{"answer", answer_to_json(value.recipe.answer)},
          {"label", value.recipe.label},
          {"device", to_json(value.recipe.device)},
          {"architecture", value.recipe.architecture},
          {"arguments", std::move(arguments)},
          {"kernel", launches_to_json(value)},
          {"defaulted", value.defaulted},
          {"aliases", value.aliases},
          {"build", value.build}};
  if (!value.omitted.empty()) json["omitted"] = to_json(value.omitted);
}

static void from_json(const BundleJson& json, BundledRecipe& value) {
  Recipe& recipe = value.recipe;
  recipe.answer = answer_from(json.at("answer"));
  get_value(json.at("label"), recipe.label);
  recipe.device = from_json<Device>(json.at("device"));
  get_value(json.at("architecture"), recipe.architecture);
  for (const BundleJson& argument : json.at("arguments"))
    recipe.arguments.push_back(argument_from(argument));
  const auto kernel = json.at("kernel").get<KernelPlan>();
  if (kernel.launches.size() != 1)
    throw InputError(fmt::format("a kernel has {} launch plans, not one", kernel.launches.size()));
  recipe.launches = kernel.launches.front();
  if (json.contains("omitted")) value.omitted = settings_from_json(json.at("omitted"));
  get_value(json.at("defaulted"), value.defaulted);
  get_value(json.at("aliases"), value.aliases);
  get_value(json.at("build"), value.build);
}

static void to_json(BundleJson& json, const BundledBuild& value) {
  json = {{"code", value.code_hash}, {"symbols", value.symbols}};
}

static void from_json(const BundleJson& json, BundledBuild& value) {
  get_value(json.at("code"), value.code_hash);
  get_value(json.at("symbols"), value.symbols);
}

static void to_json(BundleJson& json, const ManifestText& value) {
  json = {{"name", value.name}, {"text", value.text}};
  if (!value.fitted.empty()) json["fitted"] = value.fitted;
}

static void from_json(const BundleJson& json, ManifestText& value) {
  get_value(json.at("name"), value.name);
  get_value(json.at("text"), value.text);
  if (json.contains("fitted")) get_value(json.at("fitted"), value.fitted);
}

static void to_json(BundleJson& json, const BestRow& value) {
  json = {{"implementation", value.implementation},
          {"epoch", value.epoch},
          {"configuration", to_json(value.configuration.values)},
          {"operation", value.problem.operation},
          {"problem", to_json(value.problem.values)},
          {"device", to_json(value.device)},
          {"policy", policy_to_json(value.policy)},
          {"median_us", value.trial.timing ? value.trial.timing->median_us : 0},
          {"warm_median_us", value.trial.warm_timing ? value.trial.warm_timing->median_us : 0},
          {"verified", value.trial.verification.has_value()},
          {"measured_at", value.finished},
          {"imported", value.imported},
          {"shipped", value.shipped}};
  write_limit(json, value.environment.power_limit_w);
  if (value.superseded) json["superseded"] = true;
  if (value.other_source) json[kOtherSource] = true;
}

static void from_json(const BundleJson& json, BestRow& value) {
  get_value(json.at("implementation"), value.implementation);
  get_value(json.at("epoch"), value.epoch);
  value.configuration.values = settings_from_json(json.at("configuration"));
  get_value(json.at("operation"), value.problem.operation);
  value.problem.values = settings_from_json(json.at("problem"));
  value.device = from_json<Device>(json.at("device"));
  value.policy = policy_from(json.at("policy"));
  value.trial.timing.emplace().median_us = json.at("median_us").get<double>();
  if (const double warm_us = json.value("warm_median_us", 0.0); warm_us != 0)
    value.trial.warm_timing.emplace().median_us = warm_us;
  if (json.at("verified").get<bool>()) value.trial.verification.emplace();
  get_value(json.at("measured_at"), value.finished);
  get_value(json.at("imported"), value.imported);
  get_value(json.at("shipped"), value.shipped);
  value.environment.power_limit_w = limit_from(json);
  value.superseded = json.value("superseded", false);
  value.other_source = json.value(kOtherSource, false);
}

static void to_json(BundleJson& json, const PortableRow& value) {
  json = {{"device", to_json(value.device)},
          {"implementation", value.implementation},
          {"epoch", value.epoch},
          {"configuration", to_json(value.configuration.values)},
          {"mean_ratio", value.mean_ratio},
          {"measured", value.measured},
          {"tuned", value.tuned},
          {"shared_bytes", value.shared_bytes}};
}

static void from_json(const BundleJson& json, PortableRow& value) {
  value.device = from_json<Device>(json.at("device"));
  get_value(json.at("implementation"), value.implementation);
  get_value(json.at("epoch"), value.epoch);
  value.configuration.values = settings_from_json(json.at("configuration"));
  get_value(json.at("mean_ratio"), value.mean_ratio);
  get_value(json.at("measured"), value.measured);
  get_value(json.at("tuned"), value.tuned);
  get_value(json.at("shared_bytes"), value.shared_bytes);
}

static void to_json(BundleJson& json, const KnownWrong& value) {
  json = {{"implementation", value.implementation},
          {"epoch", value.epoch},
          {"source_hash", value.source_hash},
          {"outcome", to_text(value.outcome)},
          {"operation", value.problem.operation},
          {"problem", to_json(value.problem.values)},
          {"kind", to_text(value.kind)},
          {"device", value.device},
          {"wrong", value.wrong},
          {"tried", value.tried}};
  if (value.configuration) json["configuration"] = to_json(value.configuration->values);
}

static void from_json(const BundleJson& json, KnownWrong& value) {
  get_value(json.at("implementation"), value.implementation);
  get_value(json.at("epoch"), value.epoch);
  get_value(json.at("source_hash"), value.source_hash);
  value.outcome = from_name<Outcome>(json.at("outcome").get<std::string>());
  get_value(json.at("operation"), value.problem.operation);
  value.problem.values = settings_from_json(json.at("problem"));
  value.kind = from_name<DeviceKind>(json.at("kind").get<std::string>());
  get_value(json.at("device"), value.device);
  get_value(json.at("wrong"), value.wrong);
  get_value(json.at("tried"), value.tried);
  if (json.contains("configuration"))
    value.configuration = Configuration{settings_from_json(json.at("configuration"))};
}

BundleJson bundle_to_json(const BundleContents& contents) {
  BundleJson codes = BundleJson::object();
  for (const auto& [hash, code] : contents.codes) codes[hash] = BundleJson::binary(*code);
  BundleJson json = {{"tool", contents.tool},     {"recipes", contents.recipes},
                     {"builds", contents.builds}, {"definitions", contents.definitions},
                     {"rows", contents.rows},     {"portable", contents.portable},
                     {"codes", std::move(codes)}};
  if (!contents.known_wrong.empty()) json["known_wrong"] = contents.known_wrong;
  return json;
}

BundleContents bundle_from_json(const BundleJson& json) {
  BundleContents contents;
  get_value(json.at("tool"), contents.tool);
  get_value(json.at("recipes"), contents.recipes);
  get_value(json.at("builds"), contents.builds);
  get_value(json.at("definitions"), contents.definitions);
  get_value(json.at("rows"), contents.rows);
  get_value(json.at("portable"), contents.portable);
  if (json.contains("known_wrong")) get_value(json.at("known_wrong"), contents.known_wrong);
  for (const auto& [hash, code] : json.at("codes").items())
    contents.codes[hash] = std::make_shared<const std::vector<std::uint8_t>>(code.get_binary());
  return contents;
}

}  // namespace tilewright
