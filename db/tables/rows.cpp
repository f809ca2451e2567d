#include "db/tables/rows.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

#include "db/tables/identity.hpp"
#include "definition/json/border.hpp"

namespace tilewright {

namespace {

// Without the implementation.
const std::vector<std::string>& own_trial_columns() {
  static const std::vector<std::string> columns = [] {
    std::vector<std::string> all = columns_of<Trial>();
    all.erase(all.begin());
    return all;
  }();
  return columns;
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

}  // namespace

std::string insert_sql(const std::string& table, const std::vector<std::string>& columns) {
  const std::vector<const char*> marks(columns.size(), "?");
  return fmt::format("INSERT INTO {} ({}) VALUES ({})", table, fmt::join(columns, ", "),
                     fmt::join(marks, ", "));
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
  Statement(database,
            fmt::format("INSERT INTO trial (sweep, {0}) SELECT ?, {0} FROM trial WHERE sweep = ? "
                        "AND stage = ? AND outcome <> ? AND NOT {1} ORDER BY id",
                        columns, maybe_of_machine("trial")),
            {to, from, std::string(to_text(Stage::screen)), std::string(to_text(Outcome::faulted))})
      .run();
}

void drop_trials_to_repeat(Database& database, std::int64_t sweep) {
  Statement(database,
            "DELETE FROM trial WHERE sweep = ? AND stage = ? AND " + maybe_of_machine("trial"),
            {sweep, std::string(to_text(Stage::screen))})
      .run();
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

}  // namespace tilewright
