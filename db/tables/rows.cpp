// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "db/tables/rows.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "db/records/json.hpp"
#include "db/tables/identity.hpp"

namespace tilewright {

namespace {

// Without the implementation, in the order of the table.
constexpr const char* kOwnTrialColumns[] = {"configuration",
                                            "outcome",
                                            "stage",
                                            "rule",
                                            "message",
                                            "code_hash",
                                            "compile_ms",
                                            "registers",
                                            "shared_bytes",
                                            "spill_bytes",
                                            "stack_bytes",
                                            "threads",
                                            "blocks_per_sm",
                                            "occupancy",
                                            "outputs_checked",
                                            "outputs_total",
                                            "worst_error",
                                            "worst_ratio",
                                            "input_seed",
                                            "samples_us",
                                            "median_us",
                                            "lower_us",
                                            "upper_us",
                                            "minimum_us",
                                            "calls_per_sample",
                                            "sm_mhz",
                                            "interval_low_us",
                                            "interval_high_us",
                                            "rounds"};
constexpr int kResourceColumns = 7;
constexpr int kVerificationColumns = 5;
constexpr int kTimingColumns = 10;

std::string insert_sql() {
  std::string columns = "sweep, implementation";
  std::string marks = "?, ?";
  for (const char* column : kOwnTrialColumns) {
    columns += fmt::format(", {}", column);
    marks += ", ?";
  }
  return fmt::format(
      "INSERT INTO trial ({}) VALUES ({}) ON CONFLICT (sweep, implementation, configuration, "
      "stage) DO NOTHING",
      columns, marks);
}

void append_nulls(std::vector<Cell>& cells, int count) {
  cells.insert(cells.end(), static_cast<std::size_t>(count), Cell{nullptr});
}

void append(std::vector<Cell>& cells, const std::optional<Resources>& resources) {
  if (!resources) return append_nulls(cells, kResourceColumns);
  cells.insert(cells.end(),
               {std::int64_t{resources->registers}, resources->shared_bytes, resources->spill_bytes,
                resources->stack_bytes, std::int64_t{resources->threads},
                std::int64_t{resources->blocks_per_sm}, resources->occupancy});
}

void append(std::vector<Cell>& cells, const std::optional<Verification>& verification) {
  if (!verification) return append_nulls(cells, kVerificationColumns);
  cells.insert(cells.end(), {verification->outputs_checked, verification->outputs_total,
                             verification->worst_error, verification->worst_ratio,
                             static_cast<std::int64_t>(verification->seed)});
}

void append(std::vector<Cell>& cells, const std::optional<Timing>& timing) {
  if (!timing) return append_nulls(cells, kTimingColumns);
  cells.insert(
      cells.end(),
      {samples_to_json(timing->samples_us).dump(), timing->median_us, timing->lower_us,
       timing->upper_us, timing->minimum_us, std::int64_t{timing->calls_per_sample}, timing->sm_mhz,
       timing->interval_low_us, timing->interval_high_us, std::int64_t{timing->rounds}});
}

std::optional<Resources> read_resources(Columns& columns) {
  if (columns.next_is_null()) {
    columns.skip(kResourceColumns);
    return std::nullopt;
  }
  Resources resources;
  resources.registers = static_cast<int>(columns.integer());
  resources.shared_bytes = columns.integer();
  resources.spill_bytes = columns.integer();
  resources.stack_bytes = columns.integer();
  resources.threads = static_cast<int>(columns.integer());
  resources.blocks_per_sm = static_cast<int>(columns.integer());
  resources.occupancy = columns.real();
  return resources;
}

std::optional<Verification> read_verification(Columns& columns) {
  if (columns.next_is_null()) {
    columns.skip(kVerificationColumns);
    return std::nullopt;
  }
  Verification verification;
  verification.outputs_checked = columns.integer();
  verification.outputs_total = columns.integer();
  verification.worst_error = columns.real();
  verification.worst_ratio = columns.real();
  verification.seed = static_cast<std::uint64_t>(columns.integer());
  return verification;
}

std::optional<Timing> read_timing(Columns& columns) {
  if (columns.next_is_null()) {
    columns.skip(kTimingColumns);
    return std::nullopt;
  }
  Timing timing;
  timing.samples_us = samples_from_json(Json::parse(columns.text()));
  timing.median_us = columns.real();
  timing.lower_us = columns.real();
  timing.upper_us = columns.real();
  timing.minimum_us = columns.real();
  timing.calls_per_sample = static_cast<int>(columns.integer());
  timing.sm_mhz = columns.real();
  timing.interval_low_us = columns.real();
  timing.interval_high_us = columns.real();
  timing.rounds = static_cast<int>(columns.integer());
  return timing;
}

}  // namespace

Settings read_settings(Columns& columns) {
  return read_row(columns.database(),
                  [&columns] { return settings_from_json(Json::parse(columns.text())); });
}

std::string trial_columns() {
  std::string list = "i.name";
  for (const char* column : kOwnTrialColumns) list += fmt::format(", t.{}", column);
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
    trial.resources = read_resources(columns);
    trial.verification = read_verification(columns);
    trial.timing = read_timing(columns);
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
  const std::string columns = fmt::format("implementation, {}", fmt::join(kOwnTrialColumns, ", "));
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
