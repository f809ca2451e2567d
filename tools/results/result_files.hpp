#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include "db/store/store.hpp"
#include "definition/library/library.hpp"
#include "tuner/foreign/record.hpp"

namespace tilewright::tools {

// The sweeps of a database or an export, finished or not. Throws InputError for any other file, and
// for one with a row that cannot be used. Throws MachineError for a database that cannot be read.
std::vector<Store::Imported> sweeps_in(const std::filesystem::path& file);

// The sweeps of all files, one file after another. Also throws InputError for a problem that the
// definition of its operation does not allow, if the library has that definition.
std::vector<Store::Imported> sweeps_in_all(const std::vector<std::string>& files,
                                           const Library& library);

// The sweeps that read(0), …, read(count - 1) return, in this order. Several are read at the same
// time. Throws what the first of those that fail throws.
using ReadSweeps = std::function<std::vector<Store::Imported>(std::size_t i)>;
std::vector<Store::Imported> sweeps_of_each(std::size_t count, const ReadSweeps& read);

// Throws InputError for a problem that the definition of its operation does not allow. Operations
// that the library does not know are left alone.
void check_problems(const std::vector<Store::Imported>& sweeps, const Library& library);

// Files that the user named, by the operation that they define. The program finds the operation by
// its name there later.
using NamedManifests = std::map<std::string, std::vector<std::string>>;

// Imports the sweeps into the database, which is created if it does not exist, with the manifests
// of their operations instead of what they say themselves. Prints on `out` how many are new.
void take_in(std::vector<Store::Imported> sweeps, const std::filesystem::path& database,
             std::ostream& out, const NamedManifests& named = {});

// The same for sweeps that this database measured and lost: they are our own, and the unfinished
// ones can be continued.
void take_back(const std::vector<Store::Imported>& sweeps, const std::filesystem::path& database,
               std::ostream& out);

// "3 of 4 sweeps are new", and whether unfinished ones went on.
void print_taken(std::ostream& out, const Store::ImportResult& result, std::size_t given);

// The answers in a database, a file of winners, or an export. Throws as sweeps_in() does.
std::vector<BestRow> winners_in(const std::filesystem::path& file);

// The recorded spaces of a file: one for a file of another tuner, or one for each finished sweep
// with a measured time of a tilewright database or JSON export. Throws InputError.
std::vector<Record> read_records(const std::filesystem::path& file);

}  // namespace tilewright::tools
