#include "db/tables/identity.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <random>
#include <vector>

#include "db/records/sweep_key_json.hpp"
#include "db/tables/rows.hpp"
#include "definition/fields.hpp"
#include "definition/json/codec.hpp"

namespace tilewright {

namespace {

struct Table {
  std::string name;
  std::vector<std::string> columns;
};

// A field has one column and one cell; a Triple has three.
template <class Field>
std::vector<std::string> columns_of(const std::string& name, const Field&) {
  if constexpr (std::is_same_v<Field, DeviceField::Triple>)
    return {name + "_x", name + "_y", name + "_z"};
  else
    return {name};
}

template <class Field>
std::vector<Cell> field_cells(const Field& field) {
  if constexpr (std::is_same_v<Field, DeviceField::Triple>)
    return {field.begin(), field.end()};
  else if constexpr (std::is_same_v<Field, DeviceKind>)
    return {std::string(to_text(field))};
  else
    return {to_cell(field)};
}

template <class Field>
void read(Columns& columns, Field& field) {
  if constexpr (std::is_same_v<Field, DeviceField::Triple>)
    for (std::int64_t& size : field) size = columns.integer();
  else if constexpr (std::is_same_v<Field, DeviceKind>)
    field = read_row(columns.database(), [&] { return device_kind_from(columns.text()); });
  else
    read_cell(columns, field);
}

const char* name_of(const DeviceField& field) {
  return field.name;
}

const char* name_of(const char* name) {
  return name;
}

template <class Struct>
Table make_table(const std::string& name) {
  Table table{name, {}};
  const Struct any{};
  for_each_field(any, [&table](const auto& field, const auto& value) {
    for (std::string& column : columns_of(name_of(field), value))
      table.columns.push_back(std::move(column));
  });
  return table;
}

const Table& device_table() {
  static const Table table = make_table<Device>("device");
  return table;
}

const Table& environment_table() {
  static const Table table = make_table<Environment>("environment");
  return table;
}

const Table& problem_table() {
  static const Table table = {"problem", {"operation", "settings"}};
  return table;
}

const Table& policy_table() {
  static const Table table = {"policy", {"cache", "submission"}};
  return table;
}

const Table& implementation_table() {
  static const Table table = {"implementation", {"name", "epoch"}};
  return table;
}

template <class Struct>
std::vector<Cell> cells(const Struct& fields) {
  std::vector<Cell> all;
  for_each_field(fields, [&all](const auto&, const auto& value) {
    for (Cell& cell : field_cells(value)) all.push_back(std::move(cell));
  });
  return all;
}

template <class Struct>
Struct read_fields(Columns& columns) {
  Struct fields;
  for_each_field(fields, [&columns](const auto&, auto& value) { read(columns, value); });
  return fields;
}

std::vector<Cell> cells(const Problem& problem) {
  return {problem.operation, canonical_json(problem.values)};
}

std::vector<Cell> cells(const Policy& policy) {
  return {to_text(policy.cache), policy.submission};
}

std::optional<std::int64_t> find(Database& database, const Table& table,
                                 const std::vector<Cell>& values) {
  std::string conditions;
  for (const auto& column : table.columns)
    conditions += fmt::format("{}{} = ?", conditions.empty() ? "" : " AND ", column);
  Statement select(database, fmt::format("SELECT id FROM {} WHERE {}", table.name, conditions),
                   values);
  if (!select.step()) return std::nullopt;
  return select.integer(0);
}

std::int64_t find_or_add(Database& database, const Table& table, const std::vector<Cell>& values) {
  if (const auto id = find(database, table, values)) return *id;
  std::string columns;
  std::string marks;
  for (const auto& column : table.columns) {
    columns += (columns.empty() ? "" : ", ") + column;
    marks += marks.empty() ? "?" : ", ?";
  }
  Statement(database, fmt::format("INSERT INTO {} ({}) VALUES ({})", table.name, columns, marks),
            values)
      .run();
  return database.last_insert_id();
}

std::string select_list(const Table& table, const std::string& alias) {
  std::string list;
  for (const auto& column : table.columns)
    list += fmt::format("{}{}.{}", list.empty() ? "" : ", ", alias, column);
  return list;
}

}  // namespace

std::optional<std::int64_t> find_id(Database& database, const Device& device) {
  return find(database, device_table(), cells(device));
}

std::optional<std::int64_t> find_id(Database& database, const Problem& problem) {
  return find(database, problem_table(), cells(problem));
}

std::optional<std::int64_t> find_id(Database& database, const Policy& policy) {
  return find(database, policy_table(), cells(policy));
}

std::int64_t intern(Database& database, const Device& device) {
  return find_or_add(database, device_table(), cells(device));
}

std::int64_t intern(Database& database, const Environment& environment) {
  return find_or_add(database, environment_table(), cells(environment));
}

std::int64_t intern(Database& database, const Problem& problem) {
  return find_or_add(database, problem_table(), cells(problem));
}

std::int64_t intern(Database& database, const Policy& policy) {
  return find_or_add(database, policy_table(), cells(policy));
}

std::int64_t intern(Database& database, const ImplementationKey& implementation) {
  return find_or_add(database, implementation_table(), {implementation.name, implementation.epoch});
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

Device read_device(Columns& columns) {
  return read_fields<Device>(columns);
}

Environment read_environment(Columns& columns) {
  return read_fields<Environment>(columns);
}

Problem read_problem(Columns& columns) {
  Problem problem;
  problem.operation = columns.text();
  problem.values = read_settings(columns);
  return problem;
}

Policy read_policy(Columns& columns) {
  return read_row(columns.database(), [&columns] {
    Policy policy;
    policy.cache = cache_policy_from_name(columns.text());
    policy.submission = columns.text();
    return policy;
  });
}

std::string request_hash(const SweepKey& key) {
  const std::string text = json_text(to_json(key));
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

std::string new_uuid() {
  std::random_device device;
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", device(), device(), device(), device());
}

}  // namespace tilewright
