#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tilewright/device.hpp"
#include "tilewright/policy.hpp"
#include "tilewright/settings.hpp"
#include "tilewright/trial.hpp"

namespace tilewright {

// The only place that writes and reads the types of include/tilewright as JSON. Keys have the order
// of the types' fields. Numbers are read back exactly; those that are not finite are "nan", "inf"
// and "-inf". Readers throw InputError that names the field and what is accepted. A Json converts
// to and from nlohmann::json, which sorts its keys.
using Json = nlohmann::ordered_json;

Json to_json(const Device& device);
Json to_json(const Environment& environment);
Json to_json(const Policy& policy);
Json to_json(const Settings& settings);
Json to_json(const Problem& problem);
Json to_json(const Resources& resources);
Json to_json(const Verification& verification);
Json to_json(const Timing& timing);
Json to_json(const Trial& trial);
Json samples_to_json(const std::vector<double>& samples);

Device device_from_json(const Json& json);
Environment environment_from_json(const Json& json);
Policy policy_from_json(const Json& json);
Settings settings_from_json(const Json& json);
Problem problem_from_json(const Json& json);
Resources resources_from_json(const Json& json);
Verification verification_from_json(const Json& json);
Timing timing_from_json(const Json& json);
Trial trial_from_json(const Json& json);
std::vector<double> samples_from_json(const Json& json);

// Read names as they are stored. They throw InputError that lists the known names.
Outcome outcome_from_name(const std::string& name);
Stage stage_from_name(const std::string& name);
CachePolicy cache_policy_from_name(const std::string& name);

}  // namespace tilewright
