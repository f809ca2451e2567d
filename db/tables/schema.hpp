// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace tilewright {

// db/tables/schema.sql, embedded when built.
extern const std::string_view kSchemaSql;

}  // namespace tilewright
