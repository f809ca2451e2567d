#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "db/records/sweep_records.hpp"
#include "db/tables/sqlite.hpp"
#include "tilewright/error.hpp"

namespace tilewright {

// Calls `read`. If it cannot parse the row, throws MachineError that names the database.
template <class Read>
auto read_row(const Database& database, Read&& read) {
  try {
    return std::forward<Read>(read)();
  } catch (const InputError& error) {
    database.fail_on_row(error.what());
  } catch (const nlohmann::json::exception& error) {
    database.fail_on_row(error.what());
  }
}

// Converts a struct's field to a cell, and reads it from the next column.
template <class Field>
Cell to_cell(const Field& field) {
  if constexpr (std::is_integral_v<Field>)
    return static_cast<std::int64_t>(field);
  else
    return field;
}

template <class Field>
void read_cell(Columns& columns, Field& field) {
  if constexpr (std::is_integral_v<Field>)
    field = static_cast<Field>(columns.integer());
  else if constexpr (std::is_floating_point_v<Field>)
    field = columns.real();
  else
    field = columns.text();
}

// The next column, canonical JSON.
Settings read_settings(Columns& columns);

// Columns of `trial t JOIN implementation i`, and their reader.
std::string trial_columns();
Trial read_trial(Columns& columns);

// Adds trials to open sweeps. A second trial of the same configuration and stage is ignored.
// REQUIRES a Transaction around all its calls.
class TrialWriter {
 public:
  explicit TrialWriter(Database& database);
  void add(std::int64_t sweep, std::int64_t implementation, const Trial& trial);

 private:
  Statement insert_;
};

// Copies the screened trials of sweep `from` to sweep `to`, except those that faulted or timed out.
// REQUIRES a Transaction.
void copy_trials_that_ended(Database& database, std::int64_t from, std::int64_t to);

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

// Row ids of the implementations of an unfinished sweep, by name; empty for a finished one.
std::map<std::string, std::int64_t> open_implementations(Database& database, std::int64_t sweep);

// Adds an unfinished sweep with its implementations and returns its id. Ignores record.id.
// REQUIRES a Transaction.
std::int64_t add_sweep_row(Database& database, const SweepRecord& record);

// These implement Store::subjects, Store::add_wanted and Store::wanted.
SubjectList read_subjects(Database& database, const std::string& operation, DeviceKind kind);
void add_wanted_row(Database& database, const Wanted& wanted);  // REQUIRES a Transaction
std::vector<Wanted> read_wanted(Database& database, const std::string& operation);

}  // namespace tilewright
