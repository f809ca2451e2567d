// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "db/records/losses.hpp"
#include "db/tables/sqlite.hpp"

namespace tilewright {

// From finished sweeps of the newest epochs. A problem's times are of sweeps of the same origin,
// our own or imported, as its winner. `device` is a row id.
LossTable read_losses(Database& database, const std::string& operation, std::int64_t device);

}  // namespace tilewright
