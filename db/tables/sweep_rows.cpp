#include <fmt/format.h>

#include <vector>

#include "db/records/border.hpp"
#include "db/records/sweep_key_json.hpp"
#include "db/tables/identity.hpp"
#include "db/tables/rows.hpp"

namespace tilewright {

namespace {

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
                      problem_columns("p"), device_columns("d"), policy_columns("y"),
                      environment_columns("e"), condition.sql, order),
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
  Statement(database,
            insert_sql("sweep", {"uuid", "request_hash", "operation", "problem", "device", "policy",
                                 "environment", "filter", "strategy", "budget", "seed", "started",
                                 "origin", "report", "store"}),
            {record.uuid, request_hash(key), key.operation, intern(database, key.problem),
             intern(database, key.device), intern(database, key.policy),
             intern(database, record.environment), key.where, key.strategy, to_cell(key.budget),
             to_cell(key.seed), record.started, std::string(record.imported ? "import" : "own"),
             record.report, record.store.empty() ? Cell{nullptr} : Cell{record.store}})
      .run();
  const std::int64_t sweep = database.last_insert_id();
  std::int64_t position = 0;
  for (const ImplementationKey& implementation : key.implementations)
    Statement(
        database, "INSERT INTO sweep_implementation VALUES (?, ?, ?, ?, ?, ?)",
        {sweep, position++, intern(database, implementation), implementation.source_hash,
         implementation.space_hash, canonical_json(implementation.default_configuration.values)})
        .run();
  return sweep;
}

void set_strategy(Database& database, std::int64_t sweep, const SweepKey& key) {
  Statement(database, "UPDATE sweep SET strategy = ?, request_hash = ? WHERE id = ?",
            {key.strategy, request_hash(key), sweep})
      .run();
}

}  // namespace tilewright
