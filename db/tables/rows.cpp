#include "db/tables/rows.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <random>
#include <span>

#include "db/records/border.hpp"
#include "definition/json/codec.hpp"
#include "definition/text/hash.hpp"

namespace tilewright {

namespace {

// Without the implementation.
std::span<const std::string> own_trial_columns() {
  return std::span(columns_of<Trial>()).subspan(1);
}

// Row ids of the implementations of an unfinished sweep, by name; empty for a finished one.
std::map<std::string, std::int64_t> open_implementations(Database& database, std::int64_t sweep) {
  Statement select(database,
                   "SELECT i.name, i.id FROM sweep s JOIN sweep_implementation si "
                   "ON si.sweep = s.id JOIN implementation i ON i.id = si.implementation "
                   "WHERE s.id = ? AND s.finished IS NULL",
                   {sweep});
  std::map<std::string, std::int64_t> ids;
  while (select.step()) ids[select.text(0)] = select.integer(1);
  return ids;
}

// A condition on the row of a trial.
std::string maybe_of_machine(const std::string& trial) {
  std::vector<std::string_view> names;
  for (const Outcome outcome : kMaybeOfMachine) names.push_back(to_text(outcome));
  return fmt::format("{}.outcome IN ('{}')", trial, fmt::join(names, "', '"));
}

SweepRecord read_sweep(Columns& columns) {
  SweepRecord record;
  SweepKey& key = record.key;
  read_cells(columns, record.id, record.uuid, key.operation, key.where, key.strategy, key.budget,
             key.seed, record.started, record.finished, record.report, record.imported,
             record.store, key.problem, key.device, key.policy, record.environment);
  return record;
}

// Adds the sweep's implementations. Throws BadRow if it is not possible as a whole.
void complete(SweepRecord& record, Database& database) {
  Statement select(database,
                   "SELECT i.name, i.epoch, si.source_hash, si.space_hash, "
                   "si.default_configuration FROM sweep_implementation si JOIN implementation i "
                   "ON i.id = si.implementation WHERE si.sweep = ? ORDER BY si.position",
                   {record.id});
  while (select.step()) {
    Columns columns(select);
    record.key.implementations.push_back(read_fields<ImplementationKey>(columns));
  }
  read_row(database, [&] { at_place("sweep " + record.uuid, [&] { require_possible(record); }); });
}

}  // namespace

std::string insert_sql(const std::string& table, const std::vector<std::string>& columns) {
  const std::vector<const char*> marks(columns.size(), "?");
  return fmt::format("INSERT INTO {} ({}) VALUES ({})", table, fmt::join(columns, ", "),
                     fmt::join(marks, ", "));
}

std::optional<std::int64_t> find_id(Database& database, const Identity& value) {
  Statement select(database,
                   fmt::format("SELECT id FROM {} WHERE {} IS ?", value.table,
                               fmt::join(value.columns, " IS ? AND ")),
                   value.cells);
  if (!select.step()) return std::nullopt;
  return select.integer(0);
}

std::int64_t intern(Database& database, const Identity& value) {
  if (const auto id = find_id(database, value)) return *id;
  database.run(insert_sql(value.table, value.columns), value.cells);
  return database.last_insert_id();
}

std::string request_hash(const SweepKey& key) {
  return hex_hash(json_text(to_json(key)));
}

std::string new_uuid() {
  std::random_device device;
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", device(), device(), device(), device());
}

std::string trial_columns() {
  return fmt::format("i.name, t.{}", fmt::join(own_trial_columns(), ", t."));
}

Trial read_trial(Columns& columns) {
  auto trial = read_fields<Trial>(columns);
  try {
    require_possible(trial);
  } catch (const InputError& error) {
    columns.database().fail_on_row(fmt::format("a trial of {} with {}: {}", trial.implementation,
                                               to_text(trial.configuration.values), error.what()));
  }
  return trial;
}

std::string trial_text(const Trial& trial) {
  return json_text(to_json(trial));
}

const Trial* add_trial_rows(Database& database, std::int64_t sweep,
                            const std::vector<Trial>& trials) {
  const auto implementations = open_implementations(database, sweep);
  std::vector<std::string> columns = {"sweep", "implementation"};
  columns.insert(columns.end(), own_trial_columns().begin(), own_trial_columns().end());
  Statement insert(database,
                   insert_sql("trial", columns) +
                       " ON CONFLICT (sweep, implementation, configuration, stage) DO NOTHING");
  for (const Trial& trial : trials) {
    const auto implementation = implementations.find(trial.implementation);
    if (implementation == implementations.end()) return &trial;
    std::vector<Cell> cells = {sweep};
    add_cells(cells, trial);
    cells[1] = implementation->second;
    insert.bind(cells);
    insert.run();
  }
  return nullptr;
}

void copy_trials_that_ended(Database& database, std::int64_t from, std::int64_t to) {
  const std::string columns =
      fmt::format("implementation, {}", fmt::join(own_trial_columns(), ", "));
  database.run(
      fmt::format("INSERT INTO trial (sweep, {0}) SELECT ?, {0} FROM trial WHERE sweep = ? "
                  "AND stage = ? AND outcome <> ? AND NOT {1} ORDER BY id",
                  columns, maybe_of_machine("trial")),
      {to, from, std::string(to_text(Stage::screen)), std::string(to_text(Outcome::faulted))});
}

void drop_trials_to_repeat(Database& database, std::int64_t sweep) {
  database.run("DELETE FROM trial WHERE sweep = ? AND stage = ? AND " + maybe_of_machine("trial"),
               {sweep, std::string(to_text(Stage::screen))});
}

std::string has_trials_to_repeat() {
  return fmt::format(
      "EXISTS (SELECT 1 FROM trial t WHERE t.sweep = s.id AND {} AND NOT EXISTS (SELECT 1 FROM "
      "sweep o JOIN trial u ON u.sweep = o.id WHERE o.request_hash = s.request_hash AND o.origin = "
      "'own' AND o.id < s.id AND u.implementation = t.implementation AND u.configuration = "
      "t.configuration AND u.stage = t.stage AND {}))",
      maybe_of_machine("t"), maybe_of_machine("u"));
}

void Condition::add(const std::string& more, Cell cell) {
  sql += " AND " + more;
  cells.push_back(std::move(cell));
}

std::optional<Condition> condition_of(Database& database, const Query& query) {
  Condition condition;
  if (!query.operation.empty()) condition.add("s.operation = ?", query.operation);
  if (!query.uuid.empty()) condition.add("instr(s.uuid, ?) = 1", query.uuid);
  const auto add_id = [&](const char* sql, const auto& value) {
    if (!value) return true;
    const auto id = find_id(database, *value);
    if (id) condition.add(sql, *id);
    return id.has_value();
  };
  if (add_id("s.problem = ?", query.problem) && add_id("s.device = ?", query.device) &&
      add_id("s.policy = ?", query.policy))
    return condition;
  return std::nullopt;
}

std::vector<SweepRecord> read_sweeps(Database& database, const Condition& condition,
                                     const std::string& order) {
  std::vector<SweepRecord> records = rows_of(
      Statement(
          database,
          fmt::format("SELECT s.id, s.uuid, s.operation, s.filter, s.strategy, s.budget, s.seed, "
                      "s.started, ifnull(s.finished, 0), s.report, s.origin = 'import', s.store, "
                      "{}, {}, {}, {} FROM sweep s JOIN problem p ON p.id = s.problem JOIN device "
                      "d ON d.id = "
                      "s.device JOIN policy y ON y.id = s.policy JOIN environment e ON e.id = "
                      "s.environment WHERE {} ORDER BY {}",
                      columns_sql<Problem>("p"), columns_sql<Device>("d"), columns_sql<Policy>("y"),
                      columns_sql<Environment>("e"), condition.sql, order),
          condition.cells),
      read_sweep);
  std::vector<SweepRecord> possible;
  for (SweepRecord& record : records) try {
      complete(record, database);
      possible.push_back(std::move(record));
    } catch (const BadRow& row) {
      database.leave_out(row);
    }
  return possible;
}

std::int64_t add_sweep_row(Database& database, const SweepRecord& record) {
  const SweepKey& key = record.key;
  database.run(insert_sql("sweep", {"uuid", "request_hash", "operation", "problem", "device",
                                    "policy", "environment", "filter", "strategy", "budget", "seed",
                                    "started", "origin", "report", "store"}),
               {record.uuid, request_hash(key), key.operation, intern(database, key.problem),
                intern(database, key.device), intern(database, key.policy),
                intern(database, record.environment), key.where, key.strategy, to_cell(key.budget),
                to_cell(key.seed), record.started, std::string(record.imported ? "import" : "own"),
                record.report, record.store.empty() ? Cell{nullptr} : Cell{record.store}});
  const std::int64_t sweep = database.last_insert_id();
  std::int64_t position = 0;
  for (const ImplementationKey& implementation : key.implementations)
    database.run(
        "INSERT INTO sweep_implementation VALUES (?, ?, ?, ?, ?, ?)",
        {sweep, position++, intern(database, implementation), implementation.source_hash,
         implementation.space_hash, canonical_json(implementation.default_configuration.values)});
  return sweep;
}

void set_strategy(Database& database, std::int64_t sweep, const SweepKey& key) {
  database.run("UPDATE sweep SET strategy = ?, request_hash = ? WHERE id = ?",
               {key.strategy, request_hash(key), sweep});
}

}  // namespace tilewright
