#include "db/tables/identity.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <random>

#include "db/records/sweep_key_json.hpp"
#include "db/tables/rows.hpp"
#include "definition/json/codec.hpp"
#include "definition/text/hash.hpp"

namespace tilewright {

namespace {

const IdentityTable& device_table() {
  static const IdentityTable table = {"device", columns_of<Device>()};
  return table;
}

const IdentityTable& environment_table() {
  static const IdentityTable table = {"environment", columns_of<Environment>()};
  return table;
}

const IdentityTable& problem_table() {
  static const IdentityTable table = {"problem", {"operation", "settings"}};
  return table;
}

const IdentityTable& policy_table() {
  static const IdentityTable table = {"policy", columns_of<Policy>()};
  return table;
}

const IdentityTable& implementation_table() {
  static const IdentityTable table = {"implementation", {"name", "epoch"}};
  return table;
}

template <class Struct>
std::vector<Cell> cells_of(const Struct& value) {
  std::vector<Cell> cells;
  add_cells(cells, value);
  return cells;
}

std::string select_list(const IdentityTable& table, const std::string& alias) {
  return fmt::format("{}.{}", alias, fmt::join(table.columns, ", " + alias + '.'));
}

}  // namespace

Identity::Identity(const Device& device) : table(device_table()), cells(cells_of(device)) {}
Identity::Identity(const Environment& environment)
    : table(environment_table()), cells(cells_of(environment)) {}
Identity::Identity(const Problem& problem) : table(problem_table()), cells(cells_of(problem)) {}
Identity::Identity(const Policy& policy) : table(policy_table()), cells(cells_of(policy)) {}
Identity::Identity(const ImplementationKey& implementation)
    : table(implementation_table()), cells{implementation.name, implementation.epoch} {}

std::optional<std::int64_t> find_id(Database& database, const Identity& value) {
  Statement select(database,
                   fmt::format("SELECT id FROM {} WHERE {} IS ?", value.table.name,
                               fmt::join(value.table.columns, " IS ? AND ")),
                   value.cells);
  if (!select.step()) return std::nullopt;
  return select.integer(0);
}

std::int64_t intern(Database& database, const Identity& value) {
  if (const auto id = find_id(database, value)) return *id;
  Statement(database, insert_sql(value.table.name, value.table.columns), value.cells).run();
  return database.last_insert_id();
}

std::string device_columns(const std::string& alias) {
  return select_list(device_table(), alias);
}

std::string environment_columns(const std::string& alias) {
  return select_list(environment_table(), alias);
}

std::string problem_columns(const std::string& alias) {
  return select_list(problem_table(), alias);
}

std::string policy_columns(const std::string& alias) {
  return select_list(policy_table(), alias);
}

std::string request_hash(const SweepKey& key) {
  return hex_hash(json_text(to_json(key)));
}

std::string new_uuid() {
  std::random_device device;
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", device(), device(), device(), device());
}

}  // namespace tilewright
