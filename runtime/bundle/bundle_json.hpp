#pragma once

#include <nlohmann/json_fwd.hpp>

#include "runtime/bundle/bundle_file.hpp"

namespace tilewright {

// from_json throws nlohmann::json::exception if the JSON has another form.
void to_json(nlohmann::json& json, const BundledRecipe& value);
void from_json(const nlohmann::json& json, BundledRecipe& value);
void to_json(nlohmann::json& json, const BundledBuild& value);
void from_json(const nlohmann::json& json, BundledBuild& value);
void to_json(nlohmann::json& json, const ManifestText& value);
void from_json(const nlohmann::json& json, ManifestText& value);

// Only the fields of a row that the ladder reads.
void to_json(nlohmann::json& json, const BestRow& value);
void from_json(const nlohmann::json& json, BestRow& value);
void to_json(nlohmann::json& json, const PortableRow& value);
void from_json(const nlohmann::json& json, PortableRow& value);

}  // namespace tilewright
