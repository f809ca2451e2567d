// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "db/tables/identity.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <random>
#include <vector>

#include "db/records/json.hpp"
#include "db/tables/rows.hpp"

namespace tilewright {

namespace {

struct Table {
  std::string name;
  std::vector<std::string> columns;
};

const Table& device_table() {
  static const Table table = {"device",
                              {"kind",
                               "name",
                               "compute_capability",
                               "partition",
                               "sm_count",
                               "l2_bytes",
                               "shared_bytes_per_block",
                               "shared_bytes_per_sm",
                               "reserved_shared_bytes",
                               "registers_per_block",
                               "registers_per_sm",
                               "max_threads_per_block",
                               "max_threads_per_sm",
                               "max_blocks_per_sm",
                               "warp_size",
                               "max_block_x",
                               "max_block_y",
                               "max_block_z",
                               "max_grid_x",
                               "max_grid_y",
                               "max_grid_z"}};
  return table;
}

const Table& environment_table() {
  static const Table table = {"environment", {"driver", "runtime", "compiler", "tool"}};
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

std::vector<Cell> cells(const Device& device) {
  return {std::string(to_text(device.kind)),
          device.name,
          std::int64_t{device.compute_capability},
          device.partition,
          std::int64_t{device.sm_count},
          device.l2_bytes,
          device.shared_bytes_per_block,
          device.shared_bytes_per_sm,
          device.reserved_shared_bytes,
          device.registers_per_block,
          device.registers_per_sm,
          device.max_threads_per_block,
          device.max_threads_per_sm,
          device.max_blocks_per_sm,
          device.warp_size,
          device.max_block[0],
          device.max_block[1],
          device.max_block[2],
          device.max_grid[0],
          device.max_grid[1],
          device.max_grid[2]};
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
  return find_or_add(
      database, environment_table(),
      {environment.driver, environment.runtime, environment.compiler, environment.tool});
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
  Device device;
  device.kind = device_kind_from(columns.text());
  device.name = columns.text();
  device.compute_capability = static_cast<int>(columns.integer());
  device.partition = columns.text();
  device.sm_count = static_cast<int>(columns.integer());
  for (std::int64_t* value :
       {&device.l2_bytes, &device.shared_bytes_per_block, &device.shared_bytes_per_sm,
        &device.reserved_shared_bytes, &device.registers_per_block, &device.registers_per_sm,
        &device.max_threads_per_block, &device.max_threads_per_sm, &device.max_blocks_per_sm,
        &device.warp_size, &device.max_block[0], &device.max_block[1], &device.max_block[2],
        &device.max_grid[0], &device.max_grid[1], &device.max_grid[2]})
    *value = columns.integer();
  return device;
}

Environment read_environment(Columns& columns) {
  Environment environment;
  for (std::string* text :
       {&environment.driver, &environment.runtime, &environment.compiler, &environment.tool})
    *text = columns.text();
  return environment;
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
  const std::string text = to_json(key).dump(-1, ' ', false, Json::error_handler_t::replace);
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

std::string new_uuid() {
  std::random_device device;
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", device(), device(), device(), device());
}

}  // namespace tilewright
