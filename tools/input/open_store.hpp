// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include "db/store/store.hpp"
#include "tools/input/options.hpp"

namespace tilewright::tools {

// The database for reading; null where there is no file yet. Throws MachineError when there is
// one that cannot be used.
std::unique_ptr<Store> open_for_reading(const Arguments& arguments);

// Whether there is something at the database's place.
bool has_database(const Arguments& arguments);

// What to say where open_for_reading gave null: "there is no database FILE".
std::string no_database_text(const Arguments& arguments);

}  // namespace tilewright::tools
