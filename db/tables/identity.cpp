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

// A field has one column and one cell; a Triple has three.
template <class Struct>
IdentityTable make_table(const std::string& name) {
  IdentityTable table{name, {}};
  const Struct any{};
  for_each_field(any, [&table]<class Field>(const char* column, const Field&) {
    if constexpr (std::is_same_v<Field, DeviceField::Triple>)
      for (const char* axis : {"_x", "_y", "_z"})
        table.columns.push_back(std::string(column) + axis);
    else
      table.columns.emplace_back(column);
  });
  return table;
}

const IdentityTable& device_table() {
  static const auto table = make_table<Device>("device");
  return table;
}

const IdentityTable& environment_table() {
  static const auto table = make_table<Environment>("environment");
  return table;
}

const IdentityTable& problem_table() {
  static const IdentityTable table = {"problem", {"operation", "settings"}};
  return table;
}

const IdentityTable& policy_table() {
  static const auto table = make_table<Policy>("policy");
  return table;
}

const IdentityTable& implementation_table() {
  static const IdentityTable table = {"implementation", {"name", "epoch"}};
  return table;
}

template <class Struct>
std::vector<Cell> cells_of(const Struct& value) {
  std::vector<Cell> cells;
  for_each_field(value, [&cells]<class Field>(const char*, const Field& field) {
    if constexpr (std::is_same_v<Field, DeviceField::Triple>)
      cells.insert(cells.end(), field.begin(), field.end());
    else
      cells.push_back(to_cell(field));
  });
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
