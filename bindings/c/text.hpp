// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include "definition/json/json.hpp"

namespace tilewright::bindings {

// A copy for tw_text_free.
char* text_for_c(const Json& json);

}  // namespace tilewright::bindings
