// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "tuner/runtime/bundle_file.hpp"

namespace tilewright {

// from_json throws nlohmann::json::exception for what does not fit.
void to_json(nlohmann::json& json, const BundledRecipe& value);
void from_json(const nlohmann::json& json, BundledRecipe& value);

}  // namespace tilewright
