// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "db/store/store.hpp"
#include "tuner/replay/record.hpp"

namespace tilewright::tools {

// Results in files of any of our kinds, told apart by how they begin.
enum class FileKind {
  database,
  sweeps,   // export --format json
  winners,  // export --format winners
  other,    // perhaps another tuner's
};
FileKind kind_of(std::string_view bytes);

// Of a database or an export, finished or not. Throws InputError for any other file, MachineError
// for a database that cannot be read.
std::vector<Store::Imported> sweeps_in(const std::filesystem::path& file);

// The same of all files, one after another.
std::vector<Store::Imported> sweeps_in_all(const std::vector<std::string>& files);

// Into the database, which is made if it is not there; says on `out` how many of them are new.
void take_in(const std::vector<Store::Imported>& sweeps, const std::filesystem::path& database,
             std::ostream& out);

// The answers that a database or a file of winners holds, or that an export gives once it is
// imported. Throws as sweeps_in() does.
std::vector<BestRow> winners_in(const std::filesystem::path& file);

// The recorded spaces of a file: one of another tuner's cache or results, one for each finished
// sweep with a measured time of a tilewright database or JSON export. Throws InputError.
std::vector<Record> read_records(const std::filesystem::path& file);

}  // namespace tilewright::tools
