#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "db/records/sweep_records.hpp"
#include "db/tables/sqlite.hpp"

namespace tilewright {

// Rows of the identity tables: equal values are one row.

// Row id of the value, if there is one.
std::optional<std::int64_t> find_id(Database& database, const Device& device);
std::optional<std::int64_t> find_id(Database& database, const Problem& problem);
std::optional<std::int64_t> find_id(Database& database, const Policy& policy);

// Row id of the value, which is added if it is missing. REQUIRES a Transaction.
std::int64_t intern(Database& database, const Device& device);
std::int64_t intern(Database& database, const Environment& environment);
std::int64_t intern(Database& database, const Problem& problem);
std::int64_t intern(Database& database, const Policy& policy);
std::int64_t intern(Database& database, const ImplementationKey& implementation);

// The columns without `id`, as a list for SELECT with the table's alias; and their readers.
std::string device_columns(const std::string& alias);
std::string environment_columns(const std::string& alias);
std::string problem_columns(const std::string& alias);
std::string policy_columns(const std::string& alias);
Device read_device(Columns& columns);
Environment read_environment(Columns& columns);
Problem read_problem(Columns& columns);
Policy read_policy(Columns& columns);

// 128 bits, hexadecimal. Equal keys have equal hashes on every machine.
std::string request_hash(const SweepKey& key);

// 128 random bits, hexadecimal.
std::string new_uuid();

}  // namespace tilewright
