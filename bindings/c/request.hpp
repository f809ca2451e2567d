// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "tilewright/catalog.hpp"
#include "tilewright/policy.hpp"
#include "tilewright/settings.hpp"
#include "tilewright/tilewright.h"

namespace tilewright::bindings {

// Of "M=512 N=512 transpose_b=yes", also "M=N=K=512"; NULL: none. Throws InputError for what is not
// NAME=VALUE and for a name that is given twice.
Settings settings_of(const char* text);

// Of "warm" or "cold"; NULL: none. Throws InputError.
std::optional<CachePolicy> cache_of(const char* text);

// Of "any", "device" or "exact"; NULL: any. Throws InputError.
Require require_of(const char* text);

// Throws InputError where the request, whose name is `what`, or its operation is NULL.
void check_request(const tw_request* request, const char* what);

// Throws InputError where the request has a cache or a require, which `what` cannot have.
void refuse_conditions(const tw_request& request, const char* what);
void refuse_cache(const tw_request& request, const char* what);

}  // namespace tilewright::bindings
