#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "db/records/sweep_records.hpp"
#include "db/tables/sqlite.hpp"
#include "definition/json/codec.hpp"
#include "definition/json/json.hpp"

namespace tilewright {

// Calls `read`. If it cannot parse the row, throws BadRow that names the database.
template <class Read>
auto read_row(const Database& database, Read&& read) {
  try {
    return std::forward<Read>(read)();
  } catch (const InputError& error) {
    database.fail_on_row(error.what());
  } catch (const Json::exception& error) {
    database.fail_on_row(error.what());
  }
}

// Converts a struct's field to a cell, and reads it from the next column.
inline Cell to_cell(const std::vector<double>& samples) {
  Json json;
  write_field(json, "samples_us", samples);
  return json_text(json["samples_us"]);
}

template <class Field>
Cell to_cell(const Field& field) {
  if constexpr (std::is_enum_v<Field>)
    return std::string(to_text(field));
  else if constexpr (std::is_integral_v<Field>)
    return static_cast<std::int64_t>(field);
  else if constexpr (std::is_same_v<Field, Settings>)
    return canonical_json(field);
  else if constexpr (std::is_same_v<Field, Configuration>)
    return canonical_json(field.values);
  else
    return field;
}

template <class Field>
Cell to_cell(const std::optional<Field>& field) {
  return field ? to_cell(*field) : Cell{nullptr};
}

// A struct with listed fields has one column for each of them. A Triple has three, and an optional
// part one for each of its fields, which are all NULL if there is no part.
template <class Field>
void add_columns(std::vector<std::string>& columns, const std::string& name, const Field&) {
  if constexpr (std::is_same_v<Field, DeviceField::Triple>)
    for (const char* axis : {"_x", "_y", "_z"}) columns.push_back(name + axis);
  else
    columns.push_back(name == "seed" ? "input_seed" : name == "values" ? "settings" : name);
}

template <Listed Part>
void add_columns(std::vector<std::string>& columns, const std::string& part_name,
                 const std::optional<Part>&) {
  const std::string prefix = part_name == "warm_timing" ? "warm_" : "";
  const Part part{};
  for_each_field(part, [&](const char* name, const auto& field) {
    add_columns(columns, prefix + name, field);
  });
}

template <class Struct>
const std::vector<std::string>& columns_of() {
  static const auto& columns = *new const std::vector<std::string>([] {
    std::vector<std::string> all;
    const Struct any{};
    for_each_field(any,
                   [&](const char* name, const auto& field) { add_columns(all, name, field); });
    return all;
  }());
  return columns;
}

// They as a list for SELECT, of the table with this alias. read_fields() reads them.
template <class Struct>
std::string columns_sql(const std::string& alias) {
  std::string list;
  for (const std::string& column : columns_of<Struct>())
    list.append(list.empty() ? "" : ", ").append(alias).append(".").append(column);
  return list;
}

template <class Field>
int width_of() {
  if constexpr (Listed<Field>) return static_cast<int>(columns_of<Field>().size());
  return 1;
}

template <class Field>
void add_cells(std::vector<Cell>& cells, const Field& field) {
  if constexpr (Listed<Field>)
    for_each_field(field, [&cells](const char*, const auto& part) { add_cells(cells, part); });
  else if constexpr (std::is_same_v<Field, DeviceField::Triple>)
    cells.insert(cells.end(), field.begin(), field.end());
  else
    cells.push_back(to_cell(field));
}

template <Listed Part>
void add_cells(std::vector<Cell>& cells, const std::optional<Part>& part) {
  if (part)
    add_cells(cells, *part);
  else
    cells.resize(cells.size() + static_cast<std::size_t>(width_of<Part>()), Cell{nullptr});
}

template <class Field>
void read_cell(Columns& columns, Field& field) {
  if constexpr (Listed<Field>)
    for_each_field(field, [&columns](const char*, auto& part) { read_cell(columns, part); });
  else if constexpr (std::is_same_v<Field, DeviceField::Triple>)
    for (std::int64_t& size : field) size = columns.integer();
  else if constexpr (std::is_same_v<Field, Configuration>)
    read_cell(columns, field.values);
  else if constexpr (std::is_enum_v<Field>)
    field = read_row(columns.database(), [&] { return from_name<Field>(columns.text()); });
  else if constexpr (std::is_integral_v<Field>)
    field = static_cast<Field>(columns.integer());
  else if constexpr (std::is_floating_point_v<Field>)
    field = columns.real();
  else if constexpr (std::is_same_v<Field, Settings>)
    read_row(columns.database(),
             [&] { field = settings_from_json(parse_document(columns.text())); });
  else if constexpr (std::is_same_v<Field, std::vector<double>>)
    read_row(columns.database(), [&] {
      read_field({{"samples_us", parse_document(columns.text())}}, "samples_us", field);
    });
  else
    field = columns.text();
}

template <class Field>
void read_cell(Columns& columns, std::optional<Field>& field) {
  field.reset();
  if (columns.next_is_null())
    columns.skip(width_of<Field>());
  else
    read_cell(columns, field.emplace());
}

// The next columns, in this order.
template <class... Fields>
void read_cells(Columns& columns, Fields&... fields) {
  (read_cell(columns, fields), ...);
}

template <class Struct>
Struct read_fields(Columns& columns) {
  Struct value;
  read_cell(columns, value);
  return value;
}

// All rows, as `read` reads them, without bad ones.
template <class Read>
auto rows_of(Statement& select, const Read& read) {
  std::vector<std::invoke_result_t<Read, Columns&>> rows;
  while (select.step()) {
    Columns columns(select);
    try {
      rows.push_back(read(columns));
    } catch (const BadRow& row) {
      select.database().leave_out(row);
    }
  }
  return rows;
}

template <class Read>
auto rows_of(Statement&& select, const Read& read) {
  return rows_of(select, read);
}

template <class Row>
std::optional<Row> first_row(std::vector<Row> rows) {
  return rows.empty() ? std::nullopt : std::optional(std::move(rows.front()));
}

// INSERT of one row into these columns.
std::string insert_sql(const std::string& table, const std::vector<std::string>& columns);

// A value as a row of its table, which has one row for each value that was ever stored.
struct Identity {
  Identity(const Device& device) : Identity("device", device) {}  // NOLINT: implicit on purpose
  Identity(const Environment& environment) : Identity("environment", environment) {}  // NOLINT
  Identity(const Problem& problem) : Identity("problem", problem) {}                  // NOLINT
  Identity(const Policy& policy) : Identity("policy", policy) {}                      // NOLINT
  Identity(const ImplementationKey& one)                                              // NOLINT
      : table("implementation"), columns(kNameAndEpoch), cells{one.name, one.epoch} {}

  const char* table;
  const std::vector<std::string>& columns;  // without `id`
  std::vector<Cell> cells;

 private:
  static inline const auto& kNameAndEpoch = *new const std::vector<std::string>{"name", "epoch"};

  template <class Value>
  Identity(const char* name, const Value& value) : table(name), columns(columns_of<Value>()) {
    add_cells(cells, value);
  }
};

// Row id of the value, if there is one.
std::optional<std::int64_t> find_id(Database& database, const Identity& value);

// Row id of the value, which is added if it is missing. REQUIRES a Transaction.
std::int64_t intern(Database& database, const Identity& value);

// 128 bits, hexadecimal. Equal keys have equal hashes on every machine.
std::string request_hash(const SweepKey& key);

// 128 random bits, hexadecimal.
std::string new_uuid();

// Columns of `trial t JOIN implementation i`, and their reader, which throws BadRow.
std::string trial_columns();
Trial read_trial(Columns& columns);

// The trial as an export has it, where bytes that are not UTF-8 are replaced.
std::string trial_text(const Trial& trial);

// Adds trials to an unfinished sweep. A second trial of the same configuration and stage is
// ignored. Returns the first trial of an implementation that the sweep does not list; null: all are
// added. REQUIRES a Transaction.
const Trial* add_trial_rows(Database& database, std::int64_t sweep,
                            const std::vector<Trial>& trials);

// Copies the screened trials of sweep `from` to sweep `to`, except those that faulted or whose
// outcome may be the machine's. REQUIRES a Transaction.
void copy_trials_that_ended(Database& database, std::int64_t from, std::int64_t to);

// Deletes the screened trials of an unfinished sweep whose outcome may be the machine's, so that it
// tries them again. REQUIRES a Transaction.
void drop_trials_to_repeat(Database& database, std::int64_t sweep);

// A condition on `sweep s`: it has a trial whose outcome may be the machine's, and no earlier sweep
// of the same request had such an outcome there.
std::string has_trials_to_repeat();

// A condition with its parameters; conditions are joined by AND.
struct Condition {
  std::string sql = "1";
  std::vector<Cell> cells;

  void add(const std::string& more, Cell cell);
};

// The condition of `query` on `sweep s`; nothing if no row can match. The caller adds the condition
// on the implementation.
std::optional<Condition> condition_of(Database& database, const Query& query);

// Sweeps with their implementations. `order` is text for ORDER BY.
std::vector<SweepRecord> read_sweeps(Database& database, const Condition& condition,
                                     const std::string& order);

// Adds an unfinished sweep with its implementations and returns its id. Ignores record.id.
// REQUIRES a Transaction.
std::int64_t add_sweep_row(Database& database, const SweepRecord& record);

// Makes it the sweep with this key, which differs in the strategy only.
void set_strategy(Database& database, std::int64_t sweep, const SweepKey& key);

}  // namespace tilewright
