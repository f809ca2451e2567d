#include "db/records/sweep_key_json.hpp"

#include "definition/json/json_fields.hpp"

namespace tilewright {

namespace {

Json implementation_to_json(const ImplementationKey& key) {
  return {{"name", key.name},
          {"epoch", key.epoch},
          {"source_hash", key.source_hash},
          {"space_hash", key.space_hash},
          {"default_configuration", to_json(key.default_configuration.values)}};
}

ImplementationKey implementation_from_json(const Json& json) {
  return {text_field(json, "name"),
          integer_field(json, "epoch"),
          text_field(json, "source_hash"),
          text_field(json, "space_hash"),
          {settings_from_json(field(json, "default_configuration"))}};
}

}  // namespace

Json to_json(const SweepKey& key) {
  Json implementations = Json::array();
  for (const auto& implementation : key.implementations)
    implementations.push_back(implementation_to_json(implementation));
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
    key.implementations.push_back(implementation_from_json(implementation));
  key.where = text_field(json, "where");
  key.strategy = text_field(json, "strategy");
  key.budget = static_cast<std::size_t>(unsigned_field(json, "budget"));
  key.seed = unsigned_field(json, "seed");
  return key;
}

}  // namespace tilewright
