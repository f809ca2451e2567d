// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tilewright/catalog.hpp"
#include "tilewright/device_selector.hpp"
#include "tilewright/kernel.hpp"
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

// Of "any" or "memory"; NULL: any. Throws InputError.
Inputs inputs_of(const char* text);

// Of "cuda:0", "cuda", "host", "auto"; NULL: auto. Throws InputError.
DeviceSelector selector_of(const char* text);

// Throws InputError that begins with `what` where the number is none of the type's, which are 0 to
// `last`.
void check_enumerator(std::int32_t number, std::int32_t last, const char* what, const char* type);

// Throws InputError where the request, whose name is `what`, or its operation is NULL.
void check_request(const tw_request* request, const char* what);

// Throw InputError where the request says something that `what` cannot take: any of `cache`,
// `require` and `inputs`, or one of them.
void refuse_conditions(const tw_request& request, const char* what);
void refuse_cache(const tw_request& request, const char* what);
void refuse_inputs(const tw_request& request, const char* what);

}  // namespace tilewright::bindings
