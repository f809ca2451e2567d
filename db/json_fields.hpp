// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "db/json.hpp"

namespace tilewright {

// One field of an object; each throws InputError that names the field if it is missing or of
// another type. No conversions between types, except of integers to reals.
const Json& field(const Json& object, const char* key);
std::string text_field(const Json& object, const char* key);
std::int64_t integer_field(const Json& object, const char* key);
std::uint64_t unsigned_field(const Json& object, const char* key);
int int_field(const Json& object, const char* key);
double real_field(const Json& object, const char* key);
std::array<std::int64_t, 3> triple_field(const Json& object, const char* key);
const Json& array_field(const Json& object, const char* key);

Json real_to_json(double value);
double real_from_json(const Json& json, const char* key);

}  // namespace tilewright
