#pragma once

#include <nlohmann/json_fwd.hpp>

#include "runtime/bundle/bundle_file.hpp"

namespace tilewright {

// Of a row only the fields that the ladder reads.
nlohmann::json bundle_to_json(const BundleContents& contents);

// Throws if the JSON has another form.
BundleContents bundle_from_json(const nlohmann::json& json);

}  // namespace tilewright
