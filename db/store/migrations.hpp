// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "db/tables/sqlite.hpp"

namespace tilewright {

// How a file comes to the present version. Versions are numbered from 1.
struct SchemaPlan {
  std::int64_t application_id = 0;
  std::int64_t version = 1;
  std::string create;                   // SQL: an empty file to `version`
  std::vector<std::string> steps;       // SQL: steps[i] takes version i + 1 to version i + 2
  void (*derive)(Database&) = nullptr;  // after steps, in their transaction: what follows from rows
};

// Ours.
SchemaPlan schema_plan();

// Makes the file one of plan.version: creates the tables in an empty file, migrates an older
// version, all in one transaction. Throws MachineError for another program's file, a newer
// version, and, where `database` is read-only, an empty or older file. Several processes may
// call it at once.
void prepare_schema(Database& database, const SchemaPlan& plan);

}  // namespace tilewright
