#pragma once

#include <nlohmann/json_fwd.hpp>

#include "tuner/backend/compiler.hpp"
#include "tuner/backend/evaluator.hpp"

namespace tilewright {

// The structs that cross a process boundary, as JSON. Binary fields are CBOR byte strings.
// from_json throws nlohmann::json::exception if the JSON does not fit.
void to_json(nlohmann::json& json, const CompileRequest& value);
void from_json(const nlohmann::json& json, CompileRequest& value);
void to_json(nlohmann::json& json, const CompileResult& value);
void from_json(const nlohmann::json& json, CompileResult& value);
void to_json(nlohmann::json& json, const SessionPlan& value);
void from_json(const nlohmann::json& json, SessionPlan& value);
void to_json(nlohmann::json& json, const KernelPlan& value);
void from_json(const nlohmann::json& json, KernelPlan& value);
void to_json(nlohmann::json& json, const SampleRequest& value);
void from_json(const nlohmann::json& json, SampleRequest& value);
void to_json(nlohmann::json& json, const Resources& value);
void from_json(const nlohmann::json& json, Resources& value);
void to_json(nlohmann::json& json, const Verification& value);
void from_json(const nlohmann::json& json, Verification& value);
void to_json(nlohmann::json& json, const Timing& value);
void from_json(const nlohmann::json& json, Timing& value);
void to_json(nlohmann::json& json, const Failure& value);
void from_json(const nlohmann::json& json, Failure& value);

}  // namespace tilewright
