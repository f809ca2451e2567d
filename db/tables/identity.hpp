#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "db/records/sweep_records.hpp"
#include "db/tables/sqlite.hpp"

namespace tilewright {

// A table with one row for each value that was ever stored.
struct IdentityTable {
  std::string name;
  std::vector<std::string> columns;  // without `id`
};

// A value as a row of its table.
struct Identity {
  Identity(const Device& device);                     // NOLINT: implicit on purpose
  Identity(const Environment& environment);           // NOLINT
  Identity(const Problem& problem);                   // NOLINT
  Identity(const Policy& policy);                     // NOLINT
  Identity(const ImplementationKey& implementation);  // NOLINT

  const IdentityTable& table;
  std::vector<Cell> cells;
};

// Row id of the value, if there is one.
std::optional<std::int64_t> find_id(Database& database, const Identity& value);

// Row id of the value, which is added if it is missing. REQUIRES a Transaction.
std::int64_t intern(Database& database, const Identity& value);

// The columns without `id`, as a list for SELECT with the table's alias. read_fields() reads them.
std::string device_columns(const std::string& alias);
std::string environment_columns(const std::string& alias);
std::string problem_columns(const std::string& alias);
std::string policy_columns(const std::string& alias);

// 128 bits, hexadecimal. Equal keys have equal hashes on every machine.
std::string request_hash(const SweepKey& key);

// 128 random bits, hexadecimal.
std::string new_uuid();

}  // namespace tilewright
