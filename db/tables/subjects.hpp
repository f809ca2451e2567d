// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "db/records/sweep_records.hpp"
#include "db/tables/sqlite.hpp"

namespace tilewright {

SubjectList read_subjects(Database& database, const std::string& operation, DeviceKind kind);

// REQUIRES a Transaction.
void add_wanted_row(Database& database, const Wanted& wanted);

std::vector<Wanted> read_wanted(Database& database, const std::string& operation);

}  // namespace tilewright
