#include "db/tables/rows.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "db/tables/identity.hpp"
#include "definition/fields.hpp"
#include "definition/json/codec.hpp"
#include "definition/json/json.hpp"

namespace tilewright {

namespace {

// The columns of a Trial's optional part. All are NULL if the trial lacks it.
template <class Part>
std::vector<std::string> columns_of() {
  std::vector<std::string> columns;
  if constexpr (std::is_same_v<Part, Timing>) columns.emplace_back("samples_us");
  const Part part{};
  for_each_field(part, [&columns](const std::string& name, const auto&) {
    columns.push_back(name == "seed" ? "input_seed" : name);
  });
  return columns;
}

// Without the implementation.
const std::vector<std::string>& own_trial_columns() {
  static const std::vector<std::string> columns = [] {
    std::vector<std::string> all = {"configuration", "outcome",   "stage",     "rule",
                                    "message",       "code_hash", "compile_ms"};
    for (const auto& part :
         {columns_of<Resources>(), columns_of<Verification>(), columns_of<Timing>()})
      all.insert(all.end(), part.begin(), part.end());
    return all;
  }();
  return columns;
}

std::string insert_sql() {
  std::string columns = "sweep, implementation";
  std::string marks = "?, ?";
  for (const std::string& column : own_trial_columns()) {
    columns += ", " + column;
    marks += ", ?";
  }
  return fmt::format(
      "INSERT INTO trial ({}) VALUES ({}) ON CONFLICT (sweep, implementation, configuration, "
      "stage) DO NOTHING",
      columns, marks);
}

template <class Part>
void append(std::vector<Cell>& cells, const std::optional<Part>& part) {
  if (!part) {
    cells.insert(cells.end(), columns_of<Part>().size(), Cell{nullptr});
    return;
  }
  if constexpr (std::is_same_v<Part, Timing>)
    cells.emplace_back(json_text(samples_to_json(part->samples_us)));
  for_each_field(*part,
                 [&cells](const char*, const auto& field) { cells.push_back(to_cell(field)); });
}

template <class Part>
std::optional<Part> read_part(Columns& columns) {
  if (columns.next_is_null()) {
    columns.skip(static_cast<int>(columns_of<Part>().size()));
    return std::nullopt;
  }
  Part part;
  if constexpr (std::is_same_v<Part, Timing>)
    part.samples_us = samples_from_json(parse_document(columns.text()));
  for_each_field(part, [&columns](const char*, auto& field) { read_cell(columns, field); });
  return part;
}

}  // namespace

Settings read_settings(Columns& columns) {
  return read_row(columns.database(),
                  [&columns] { return settings_from_json(parse_document(columns.text())); });
}

std::string trial_columns() {
  std::string list = "i.name";
  for (const std::string& column : own_trial_columns()) list += ", t." + column;
  return list;
}

Trial read_trial(Columns& columns) {
  return read_row(columns.database(), [&columns] {
    Trial trial;
    trial.implementation = columns.text();
    trial.configuration = {read_settings(columns)};
    trial.outcome = outcome_from_name(columns.text());
    trial.stage = stage_from_name(columns.text());
    trial.rule = columns.text();
    trial.message = columns.text();
    trial.code_hash = columns.text();
    trial.compile_ms = columns.real();
    trial.resources = read_part<Resources>(columns);
    trial.verification = read_part<Verification>(columns);
    trial.timing = read_part<Timing>(columns);
    return trial;
  });
}

TrialWriter::TrialWriter(Database& database) : insert_(database, insert_sql()) {}

void TrialWriter::add(std::int64_t sweep, std::int64_t implementation, const Trial& trial) {
  std::vector<Cell> cells = {sweep,
                             implementation,
                             canonical_json(trial.configuration.values),
                             std::string(to_text(trial.outcome)),
                             std::string(to_text(trial.stage)),
                             trial.rule,
                             trial.message,
                             trial.code_hash,
                             trial.compile_ms};
  append(cells, trial.resources);
  append(cells, trial.verification);
  append(cells, trial.timing);
  insert_.bind(cells);
  insert_.run();
}

void copy_trials_that_ended(Database& database, std::int64_t from, std::int64_t to) {
  const std::string columns =
      fmt::format("implementation, {}", fmt::join(own_trial_columns(), ", "));
  const auto name = [](Outcome outcome) { return std::string(to_text(outcome)); };
  Statement(database,
            fmt::format("INSERT INTO trial (sweep, {0}) SELECT ?, {0} FROM trial WHERE sweep = ? "
                        "AND stage = ? AND outcome NOT IN (?, ?, ?) ORDER BY id",
                        columns),
            {to, from, std::string(to_text(Stage::screen)), name(Outcome::faulted),
             name(Outcome::timed_out), name(Outcome::compile_timed_out)})
      .run();
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
