#include "db/store/migrations.hpp"

#include <fmt/format.h>

#include "db/derived/best.hpp"
#include "db/derived/portable.hpp"
#include "db/tables/own_schema.hpp"
#include "tilewright/error.hpp"

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

// Adds the store's id, who measured a sweep, what a time was measured under, and the times with
// warm operands.
constexpr const char* kToVersion4 = R"sql(
CREATE TABLE store (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  id TEXT NOT NULL
) STRICT;
INSERT INTO store VALUES (1, lower(hex(randomblob(16))));
ALTER TABLE sweep ADD COLUMN store TEXT;
UPDATE sweep SET store = (SELECT id FROM store) WHERE origin = 'own';
ALTER TABLE trial ADD COLUMN cache TEXT;
ALTER TABLE trial ADD COLUMN power_w REAL;
ALTER TABLE trial ADD COLUMN energy_mj REAL;
ALTER TABLE trial ADD COLUMN temperature_c REAL;
ALTER TABLE trial ADD COLUMN throttle_reasons TEXT;
ALTER TABLE trial ADD COLUMN warm_median_us REAL;
ALTER TABLE trial ADD COLUMN warm_interval_low_us REAL;
ALTER TABLE trial ADD COLUMN warm_interval_high_us REAL;
ALTER TABLE trial ADD COLUMN warm_lower_us REAL;
ALTER TABLE trial ADD COLUMN warm_upper_us REAL;
ALTER TABLE trial ADD COLUMN warm_minimum_us REAL;
ALTER TABLE trial ADD COLUMN warm_calls_per_sample INTEGER;
ALTER TABLE trial ADD COLUMN warm_rounds INTEGER;
ALTER TABLE trial ADD COLUMN warm_sm_mhz REAL;
ALTER TABLE trial ADD COLUMN warm_cache TEXT;
ALTER TABLE trial ADD COLUMN warm_power_w REAL;
ALTER TABLE trial ADD COLUMN warm_energy_mj REAL;
ALTER TABLE trial ADD COLUMN warm_temperature_c REAL;
ALTER TABLE trial ADD COLUMN warm_throttle_reasons TEXT;
ALTER TABLE trial ADD COLUMN warm_samples_us TEXT;
)sql";

// Adds when a trial ended.
constexpr const char* kToVersion5 = R"sql(
ALTER TABLE trial ADD COLUMN ended_s REAL;
)sql";

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
constexpr const char* kToVersion7 = R"sql(
ALTER TABLE confirmation ADD COLUMN source_hash TEXT;
DROP TABLE blocked;
DROP TABLE best;
)sql";

// Columns of the tables come first, so that the views stay right if another process migrates the
// file.
constexpr const char* kViewsOfVersion3 = R"sql(
CREATE TEMP VIEW store AS SELECT '' AS id;
CREATE TEMP VIEW sweep AS SELECT *, NULL AS store FROM main.sweep;
CREATE TEMP VIEW trial AS SELECT *, NULL AS cache, NULL AS power_w, NULL AS energy_mj,
  NULL AS temperature_c, NULL AS throttle_reasons,
  NULL AS warm_median_us, NULL AS warm_interval_low_us, NULL AS warm_interval_high_us, NULL AS
  warm_lower_us, NULL AS warm_upper_us, NULL AS warm_minimum_us, NULL AS warm_calls_per_sample,
  NULL AS warm_rounds, NULL AS warm_sm_mhz, NULL AS warm_cache, NULL AS warm_power_w, NULL AS
  warm_energy_mj, NULL AS warm_temperature_c, NULL AS warm_throttle_reasons, NULL AS
  warm_samples_us, NULL AS ended_s FROM main.trial;
)sql";

constexpr const char* kViewsOfVersion4 = R"sql(
CREATE TEMP VIEW trial AS SELECT *, NULL AS ended_s FROM main.trial;
)sql";

constexpr const char* kWithoutPowerLimits = R"sql(
PRAGMA temp_store = MEMORY;
CREATE TEMP VIEW environment AS SELECT *, NULL AS power_limit_w FROM main.environment;
CREATE TEMP VIEW best AS SELECT *, 0 AS power_limit_w, 0 AS superseded, 0 AS definition
  FROM main.best;
)sql";

constexpr const char* kWithoutDefinitions = R"sql(
PRAGMA temp_store = MEMORY;
CREATE TEMP VIEW best AS SELECT *, 0 AS definition FROM main.best;
)sql";

constexpr const char* kWithoutSources = R"sql(
CREATE TEMP VIEW confirmation AS SELECT *, NULL AS source_hash FROM main.confirmation;
)sql";

// What tables had that a step replaced.
constexpr const char* kFormerTables = R"sql(
CREATE TABLE environment (UNIQUE (driver, runtime, compiler, tool)) STRICT;
CREATE TABLE best (PRIMARY KEY (implementation, device, problem, policy),
  PRIMARY KEY (implementation, device, problem, policy, power_limit_w)) STRICT, WITHOUT ROWID;
)sql";

void derive_all(Database& database) {
  derive_all_best(database);
  derive_all_portable(database);
}

// Throws if the file is another program's, or newer than the plan. REQUIRES a Transaction, because
// another process may fill the file meanwhile.
std::int64_t version_of(Database& database, const SchemaPlan& plan) {
  const std::int64_t application = database.integer("PRAGMA application_id");
  database.require_whole();
  const std::int64_t version = database.integer("PRAGMA user_version");
  const bool is_empty = database.integer("SELECT count(*) FROM main.sqlite_master") == 0;
  if (application == 0 && version == 0 && is_empty) return kEmpty;
  if (application != plan.application_id || version < 1)
    throw MachineError(
        fmt::format("'{}' is a database of another program", database.file().string()));
  if (version > plan.version)
    throw MachineError(fmt::format(
        "database '{}' has version {}; this tilewright reads up to {}: use a newer tilewright",
        database.file().string(), version, plan.version));
  return version;
}

[[noreturn]] void refuse_read_only(const Database& database, std::int64_t version) {
  const std::string file = database.file().string();
  if (version == kEmpty) throw MachineError(fmt::format("database '{}' is empty", file));
  throw MachineError(fmt::format(
      "database '{}' has the older version {}: open it once for writing to bring it up to date",
      file, version));
}

// REQUIRES a Transaction.
std::int64_t checked_version(Database& database, const SchemaPlan& plan) {
  const std::int64_t version = version_of(database, plan);
  std::string ours = plan.create + ';' + plan.former;
  for (const std::string& step : plan.steps) ours += ';' + step;
  OwnSchema(ours).require(database);
  return version;
}

}  // namespace

SchemaPlan schema_plan() {
  const std::string version_5 = std::string(kWithoutPowerLimits) + kWithoutSources;
  return {kApplicationId,
          7,
          std::string(kSchemaSql),
          {kToVersion2, "", kToVersion4, kToVersion5, kToVersion6, kToVersion7},
          kFormerTables,
          derive_all,
          {{3, version_5 + kViewsOfVersion3},
           {4, version_5 + kViewsOfVersion4},
           {5, version_5},
           {6, std::string(kWithoutDefinitions) + kWithoutSources}}};
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
