#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <string_view>

#include "db/exchange/exchange.hpp"
#include "db/store/store.hpp"
#include "tests/fuzz/mutate.hpp"
#include "tests/unit/db/samples.hpp"
#include "tilewright/error.hpp"

namespace tilewright::fuzz {

// A finished sweep of two trials, with all that a row can have.
inline Store::Imported sample_sweep() {
  Store::Imported imported;
  imported.sweep.uuid = "00000000-0000-4000-8000-000000000001";
  imported.sweep.started = 1'700'000'000;
  imported.sweep.finished = 1'700'000'100;
  imported.sweep.key = test::sweep_key();
  imported.sweep.environment = test::environment();
  imported.sweep.report = R"({"trials": 2})";
  imported.trials = {test::measured(16, 20), test::measured(32, 10)};
  imported.trials.back().warm_timing = imported.trials.front().timing;
  return imported;
}

// A small database in which nothing is wrong. Its pages are small because the fuzzer cuts what is
// longer than its inputs.
inline void write_sound_database(const std::filesystem::path& file) {
  std::filesystem::remove(file);
  {
    Store store(file);
    store.import_sweeps({sample_sweep()});
    for (const std::int64_t size : {64, 128, 256})  // enough for portable rows
      test::finished(store, test::sweep_key(size), sample_sweep().trials);
    store.add_wanted({{{test::cube(32), test::h200(), Policy{}}, 1, 5, 1000}});
  }
  Database(file, Database::Mode::read_write, std::chrono::milliseconds(0))
      .execute("PRAGMA journal_mode = DELETE; PRAGMA page_size = 512; VACUUM");
}

// Whatever look-ups and commands read. Returns whether the file was accepted.
inline bool read_all(const std::filesystem::path& file) try {
  const Store store(file, Store::Mode::read_only);
  export_json(store, {});
  store.newest_sweeps({Query{}}, 20);
  store.count_sweeps({Query{}});
  store.operations();
  for (const BestRow& row : store.best({})) store.rivals(row.trial_id);
  store.wanted();
  store.unfinished({});
  store.known_wrong("");
  store.portable("gemm", DeviceKind::cuda);
  store.losses("gemm", test::h200());
  store.best_of(store.subjects("gemm", DeviceKind::cuda).rows);
  return true;
} catch (const InputError&) {
  return false;
} catch (const MachineError&) {
  return false;
}

// {0} is a table of ours, {1} and {2} are small numbers.
inline constexpr auto kForeignSql = std::to_array<std::string_view>({
    "ALTER TABLE {0} RENAME TO kept; CREATE VIEW {0} AS WITH RECURSIVE n (i) AS (SELECT 1 UNION "
    "ALL SELECT i + 1 FROM n) SELECT kept.* FROM kept, n",
    "ALTER TABLE {0} RENAME TO kept; CREATE TABLE {0} AS SELECT * FROM kept",
    "DROP TABLE {0}; CREATE VIRTUAL TABLE {0} USING fts5 (id)",
    "CREATE VIEW pragma_user_version AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 "
    "FROM n) SELECT max(i) AS user_version FROM n",
    "CREATE VIEW json_each AS SELECT * FROM {0}",
    "CREATE TRIGGER planted AFTER INSERT ON {0} BEGIN DELETE FROM trial; END",
    "CREATE TRIGGER planted AFTER UPDATE ON {0} BEGIN INSERT INTO {0} SELECT * FROM {0}; END",
    "CREATE INDEX planted ON {0} (hex(zeroblob(60000)))",
    "CREATE INDEX planted ON {0} (1) WHERE printf('%.*c', 60000, 'x') > ''",
    "ALTER TABLE {0} ADD COLUMN planted TEXT AS (printf('%.*c', 2000000, 'x'))",
    "ALTER TABLE {0} ADD COLUMN planted TEXT CHECK (length(hex(zeroblob(60000))) > 0)",
    "ALTER TABLE {0} ADD COLUMN planted TEXT DEFAULT 'x'",
    "CREATE TABLE sqlXte_stat1 (tbl, idx, junk, stat AS (hex(zeroblob(60000)))); INSERT INTO "
    "sqlXte_stat1 WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT {1}) "
    "SELECT '{0}', i, 1 FROM n",
    "CREATE TABLE notes (t TEXT DEFAULT (hex(9)), u AS (upper(t))); CREATE VIEW mine AS SELECT * "
    "FROM {0}; ANALYZE",
    "DROP TRIGGER trial_is_append_only; UPDATE trial SET id = id + {1}, message = printf('%.*c', "
    "{2}, 'x'), median_us = {1} - 40, outcome = 'measured'",
    "UPDATE problem SET settings = printf('%.*c', {2}, '[')",
    "UPDATE device SET name = hex(zeroblob({2})), warp_size = {1} - 40",
    "UPDATE sweep SET finished = NULL, rigour = NULL WHERE id % 2 = 0",
    "UPDATE sweep SET report = printf('%.*c', {2}, '{{'), started = {1}",
    "UPDATE implementation SET name = hex(zeroblob({2}))",
    "UPDATE best SET trial = {1}, runner_up = {1}",
    "DELETE FROM {0}",
    "PRAGMA user_version = {1}",
    "PRAGMA application_id = {1}",
    "PRAGMA journal_mode = WAL",
    "PRAGMA journal_mode = DELETE; PRAGMA page_size = 1024; PRAGMA auto_vacuum = 1; VACUUM",
});
inline constexpr auto kOwnTables = std::to_array<std::string_view>(
    {"device", "environment", "implementation", "problem", "policy", "store", "sweep", "claim",
     "sweep_implementation", "trial", "best", "portable", "confirmation", "wanted"});

// Runs one of them in a database, which may be damaged.
inline void plant_sql(const std::filesystem::path& file, Random& random) try {
  Database database(file, Database::Mode::read_write, std::chrono::milliseconds(0));
  database.trust_schema();
  database.execute("PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF");
  database.execute(fmt::format(fmt::runtime(kForeignSql[below(random, kForeignSql.size())]),
                               kOwnTables[below(random, kOwnTables.size())], below(random, 80),
                               below(random, 20000)));
} catch (const MachineError&) {
}

// What the file cannot get by SQL: names in another case, cut by a NUL or of SQLite's own, pages
// that are others' children or copies, and damage.
inline void change_bytes(std::string& bytes, Random& random) {
  constexpr auto kWords = std::to_array<std::string_view>(
      {"table", "index", "view", "trigger", "trial", "sweep", "CREATE", "sqlXte_stat1"});
  constexpr std::size_t kPage = 512;
  if (bytes.size() < 2 * kPage) return;
  const std::size_t at = below(random, bytes.size());
  const auto page = [&] { return below(random, bytes.size() / kPage); };
  switch (below(random, 6)) {
    case 0: {
      const std::string_view word = kWords[below(random, kWords.size())];
      const std::size_t place = bytes.find(word, below(random, 2) * at);
      if (place == std::string::npos) break;
      if (word.starts_with("sqlX"))
        bytes[place + 3] = 'i';
      else
        bytes[place + word.size() - 1] = below(random, 2) == 0 ? '\0' : 'E';
      break;
    }
    case 1: {
      const std::string copy = bytes.substr(page() * kPage, kPage);
      bytes.replace(page() * kPage, copy.size(), copy);
      break;
    }
    case 2:  // in the list of a page's cells, or its kind
      bytes[page() * kPage + below(random, 32)] = static_cast<char>(below(random, 256));
      break;
    case 3: {  // the number of a page
      constexpr std::size_t kNumber = 4;
      bytes.replace(std::min(at, bytes.size() - kNumber), kNumber,
                    {'\0', '\0', '\0', static_cast<char>(page())});
      break;
    }
    case 4:
      bytes[at] = static_cast<char>(bytes[at] ^ 1 << below(random, 8));
      break;
    default:
      if (below(random, 8) == 0) bytes.resize(at);
  }
}

}  // namespace tilewright::fuzz
