// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "db/records/sweep_records.hpp"

namespace tilewright {

// The types of the store as JSON. Keys keep the order of the types' fields; numbers survive the
// way there and back exactly, non-finite ones as "nan", "inf" and "-inf". Readers throw
// InputError that names the field and what is accepted.
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
Json to_json(const ImplementationKey& key);
Json to_json(const SweepKey& key);
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
ImplementationKey implementation_key_from_json(const Json& json);
SweepKey sweep_key_from_json(const Json& json);
std::vector<double> samples_from_json(const Json& json);

// Names as they are stored. Throw InputError that lists those known.
Outcome outcome_from_name(const std::string& name);
Stage stage_from_name(const std::string& name);
CachePolicy cache_policy_from_name(const std::string& name);

}  // namespace tilewright
