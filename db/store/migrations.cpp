#include "db/store/migrations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "db/derived/derive.hpp"
#include "db/tables/own_schema.hpp"
#include "definition/text/errors.hpp"

namespace tilewright {

namespace {

constexpr std::int64_t kApplicationId = 0x54574454;  // "TWDT"; never changes
constexpr std::int64_t kEmpty = 0;                   // version of a file without tables

// Adds intervals of medians, and confirmations. Older times get the interval between the quartiles.
constexpr const char* kToVersion2 = R"sql(
ALTER TABLE trial ADD COLUMN interval_low_us REAL;
ALTER TABLE trial ADD COLUMN interval_high_us REAL;
ALTER TABLE trial ADD COLUMN rounds INTEGER;
DROP TRIGGER trial_is_append_only;
UPDATE trial SET interval_low_us = lower_us, interval_high_us = upper_us, rounds = 1
  WHERE samples_us IS NOT NULL;
CREATE TABLE confirmation (
  id INTEGER PRIMARY KEY,
  trial INTEGER NOT NULL REFERENCES trial (id),
  environment INTEGER NOT NULL REFERENCES environment (id),
  at INTEGER NOT NULL,
  verdict TEXT NOT NULL,
  message TEXT NOT NULL,
  code_hash TEXT NOT NULL,
  median_us REAL,
  interval_low_us REAL,
  interval_high_us REAL,
  sm_mhz REAL
) STRICT;
)sql";

// Columns that a version adds to a table, and what a reader sees in them of an older file.
struct Added {
  std::int64_t version;
  std::string_view table;
  std::string_view columns;  // with their types
  std::string_view otherwise = "NULL";
};
constexpr std::array kAdded = std::to_array<Added>({
    {4, "sweep", "store TEXT"},
    {4, "trial",
     "cache TEXT,power_w REAL,energy_mj REAL,temperature_c REAL,throttle_reasons TEXT,"
     "warm_median_us REAL,warm_interval_low_us REAL,warm_interval_high_us REAL,warm_lower_us REAL,"
     "warm_upper_us REAL,warm_minimum_us REAL,warm_calls_per_sample INTEGER,warm_rounds INTEGER,"
     "warm_sm_mhz REAL,warm_cache TEXT,warm_power_w REAL,warm_energy_mj REAL,"
     "warm_temperature_c REAL,warm_throttle_reasons TEXT,warm_samples_us TEXT"},
    {5, "trial", "ended_s REAL"},
    {6, "environment", "power_limit_w INTEGER"},
    {6, "best", "power_limit_w INTEGER,superseded INTEGER", "0"},
    {7, "best", "definition INTEGER", "0"},
    {7, "confirmation", "source_hash TEXT"},
});

// Calls visit(name, type).
template <class Visit>
void for_each_column(const Added& added, const Visit& visit) {
  for (std::string_view rest = added.columns; !rest.empty();) {
    const std::string_view column = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(column.size() + 1, rest.size()));
    const std::size_t space = column.find(' ');
    visit(column.substr(0, space), column.substr(space + 1));
  }
}

// SQL that adds what a version adds to the table.
std::string add_columns(std::int64_t version, std::string_view table) {
  std::string sql;
  for (const Added& added : kAdded)
    if (added.version == version && added.table == table)
      for_each_column(added, [&](std::string_view name, std::string_view type) {
        sql += fmt::format("ALTER TABLE {} ADD COLUMN {} {};\n", table, name, type);
      });
  return sql;
}

// Adds the store's id, who measured a sweep, what a time was measured under, and the times with
// warm operands.
std::string to_version_4() {
  return R"sql(
CREATE TABLE store (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  id TEXT NOT NULL
) STRICT;
INSERT INTO store VALUES (1, lower(hex(randomblob(16))));
)sql" + add_columns(4, "sweep") +
         "UPDATE sweep SET store = (SELECT id FROM store) WHERE origin = 'own';" +
         add_columns(4, "trial");
}

// Adds the power limit of a measurement: answers under several limits stand beside each other. The
// checks of foreign keys wait for the rows of `environment` to come back.
constexpr const char* kToVersion6 = R"sql(
PRAGMA defer_foreign_keys = ON;
CREATE TABLE environment_5 AS SELECT * FROM environment;
DROP TABLE environment;
CREATE TABLE environment (
  id INTEGER PRIMARY KEY,
  driver TEXT NOT NULL,
  runtime TEXT NOT NULL,
  compiler TEXT NOT NULL,
  tool TEXT NOT NULL,
  power_limit_w INTEGER,
  UNIQUE (driver, runtime, compiler, tool, power_limit_w)
) STRICT;
INSERT INTO environment SELECT id, driver, runtime, compiler, tool, NULL FROM environment_5;
DROP TABLE environment_5;
)sql";

// Adds the source of a recheck, answers of several definitions, and what finds configurations that
// are known to be wrong. SchemaPlan::derive fills `best`.
std::string to_version_7() {
  return add_columns(7, "confirmation") + "DROP TABLE blocked; DROP TABLE best";
}

// Columns of the tables come first, so that the views stay right if another process migrates the
// file.
std::string views_of(std::int64_t version) {
  std::map<std::string_view, std::string> lacking;  // by table
  for (const Added& added : kAdded)
    if (added.version > version)
      for_each_column(added, [&](std::string_view name, std::string_view) {
        lacking[added.table] += fmt::format(", {} AS {}", added.otherwise, name);
      });
  std::string sql = "PRAGMA temp_store = MEMORY;";
  if (version < 4) sql += "CREATE TEMP VIEW store AS SELECT '' AS id;";
  for (const auto& [table, columns] : lacking)
    sql += fmt::format("CREATE TEMP VIEW {0} AS SELECT *{1} FROM main.{0};", table, columns);
  return sql;
}

// What tables had that a step replaced.
constexpr const char* kFormerTables = R"sql(
CREATE TABLE environment (UNIQUE (driver, runtime, compiler, tool)) STRICT;
CREATE TABLE best (PRIMARY KEY (implementation, device, problem, policy),
  PRIMARY KEY (implementation, device, problem, policy, power_limit_w)) STRICT, WITHOUT ROWID;
)sql";

// Throws if the file is another program's, or newer than the plan. REQUIRES a Transaction, because
// another process may fill the file meanwhile.
std::int64_t version_of(Database& database, const SchemaPlan& plan) {
  const std::int64_t application = database.integer("PRAGMA application_id");
  database.require_whole();
  const std::int64_t version = database.integer("PRAGMA user_version");
  const bool is_empty =
      database.integer("SELECT NOT EXISTS (SELECT 1 FROM main.sqlite_master)") == 1;
  if (application == 0 && version == 0 && is_empty) return kEmpty;
  if (application != plan.application_id || version < 1)
    throw broken_machine("'{}' is a database of another program", database.file().string());
  if (version > plan.version)
    throw broken_machine(
        "database '{}' has version {}; this tilewright reads up to {}: use a newer tilewright",
        database.file().string(), version, plan.version);
  return version;
}

[[noreturn]] void refuse_read_only(const Database& database, std::int64_t version) {
  const std::string file = database.file().string();
  if (version == kEmpty) throw broken_machine("database '{}' is empty", file);
  throw broken_machine(
      "database '{}' has the older version {}: open it once for writing to bring it up to date",
      file, version);
}

// REQUIRES a Transaction.
std::int64_t checked_version(Database& database, const SchemaPlan& plan) {
  const std::int64_t version = version_of(database, plan);
  std::string ours = plan.create + ';' + plan.former;
  for (const std::string& step : plan.steps) ours += ';' + step;
  OwnSchema(ours).require(database);
  database.trust_schema();
  return version;
}

}  // namespace

SchemaPlan schema_plan() {
  return {kApplicationId,
          7,
          std::string(kSchemaSql),
          {kToVersion2, "", to_version_4(), add_columns(5, "trial"), kToVersion6, to_version_7()},
          kFormerTables,
          derive_all,
          {{3, views_of(3)}, {4, views_of(4)}, {5, views_of(5)}, {6, views_of(6)}}};
}

void prepare_schema(Database& database, const SchemaPlan& plan) {
  std::int64_t version = kEmpty;
  {
    const Transaction reading(database, Transaction::Kind::reading);
    version = checked_version(database, plan);
  }
  if (version == plan.version) return;
  if (database.mode() == Database::Mode::read_only) {
    const auto view = plan.views.find(version);
    if (view == plan.views.end()) refuse_read_only(database, version);
    database.execute(view->second);
    return;
  }

  Transaction transaction(database);
  version = checked_version(database, plan);  // another process may have been first
  for (auto step = version; step != kEmpty && step < plan.version; ++step)
    database.execute(plan.steps.at(static_cast<std::size_t>(step - 1)));
  database.execute(plan.create);
  if (version != kEmpty && plan.derive != nullptr) plan.derive(database);
  database.execute(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}",
                               plan.application_id, plan.version));
  transaction.commit();
}

}  // namespace tilewright
