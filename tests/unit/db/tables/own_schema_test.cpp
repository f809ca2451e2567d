#include <gtest/gtest.h>

#include "db/store/migrations.hpp"
#include "db/store/store.hpp"
#include "tests/unit/db/samples.hpp"
#include "tilewright/error.hpp"

namespace tilewright {
namespace {

using test::contains;

constexpr std::chrono::milliseconds kSchemaPatience{20};

// What a hostile or a curious user may have done to a database.
class OwnSchemas : public ::testing::Test {
 protected:
  void execute(const std::string& sql) {
    Database(file_, Database::Mode::read_write, kSchemaPatience).execute(sql);
  }
  // A new database with `sql` on top.
  void make(const std::string& sql) {
    std::filesystem::remove(file_);
    { Store store(file_); }
    execute(sql);
  }
  // The same, with a change of the text that made the table.
  void make_with(const std::string& table, const std::string& before, const std::string& after) {
    make("");
    std::string sql;
    {
      Database database(file_, Database::Mode::read_only, kSchemaPatience);
      sql = database.text("SELECT sql FROM sqlite_master WHERE name = '" + table + "'");
    }
    const std::size_t place = sql.find(before);
    ASSERT_NE(place, std::string::npos) << before;
    execute("PRAGMA foreign_keys = OFF; DROP TABLE " + table + ';' +
            sql.replace(place, before.size(), after));
  }
  // The bytes of the file, where DEFENSIVE keeps SQL from changing the list.
  void replace(const std::string& before, const std::string& after) {
    std::string bytes = test::read_file(file_);
    const std::size_t place = bytes.find(before);
    ASSERT_NE(place, std::string::npos) << before;
    test::write_file(file_, bytes.replace(place, before.size(), after));
  }
  void expect_refused(const std::string& what) {
    for (const Store::Mode mode : {Store::Mode::read_only, Store::Mode::read_write}) {
      const std::string message =
          test::message_of<MachineError>([&] { Store store(file_, mode, {kSchemaPatience}); });
      EXPECT_EQ(message, "database '" + file_.string() + "' has the " + what +
                             ", which is not tilewright's");
    }
  }

  test::Folder folder_;
  std::filesystem::path file_ = folder_ / "schema.db";
};

TEST_F(OwnSchemas, AViewOrAVirtualTableInThePlaceOfATable) {
  make(
      "DROP TABLE trial; CREATE VIEW Trial AS WITH RECURSIVE n (id) AS "
      "(SELECT 1 UNION ALL SELECT id + 1 FROM n) SELECT id FROM n");
  expect_refused("view 'Trial'");
  make("DROP TABLE trial; CREATE VIRTUAL TABLE trial USING fts4 (id)");
  expect_refused("table 'trial'");
}

// SQLite looks for a table or a view before it looks for its function of that name.
TEST_F(OwnSchemas, AViewInThePlaceOfAFunction) {
  for (const std::string name : {"pragma_user_version", "JSON_each"}) {
    make("CREATE VIEW " + name +
         " AS WITH RECURSIVE r (user_version) AS (SELECT 1 UNION ALL "
         "SELECT user_version + 1 FROM r) SELECT count(*) AS user_version FROM r");
    expect_refused("view '" + name + "'");
  }
}

TEST_F(OwnSchemas, ATableWithAnExpressionThatIsNotOurs) {
  make_with("trial", "message TEXT NOT NULL",
            "message TEXT GENERATED ALWAYS AS (printf('%.*c', 200000000, 'x')) VIRTUAL");
  expect_refused("table 'trial'");
  make_with("sweep", "report TEXT NOT NULL", "report TEXT NOT NULL DEFAULT (hex(zeroblob(9)))");
  expect_refused("table 'sweep'");
  make_with("sweep", "CHECK (origin IN", "CHECK (length(hex(zeroblob(9))) > 0 AND origin IN");
  expect_refused("table 'sweep'");
  make_with("trial", "UNIQUE (sweep, implementation, configuration, stage)",
            "CHECK (length(hex(zeroblob(9))) > 0)");
  expect_refused("table 'trial'");
  make_with("policy", "STRICT", "");
  expect_refused("table 'policy'");
}

// What SQLite reads, and what only looks like a comment or a text.
TEST_F(OwnSchemas, AnExpressionThatIsHiddenFromAReader) {
  for (const std::string hidden : {"message TEXT NOT NULL DEFAULT ('--' || hex(9) || '\n')",
                                   "message TEXT NOT NULL DEFAULT ('/*' || hex(9) || '*/')",
                                   "message TEXT NOT NULL, \"--\" TEXT AS (hex(9)) -- \"\n",
                                   "message TEXT NOT NULL, [/*] TEXT AS (hex(9)), [*/] TEXT",
                                   "message TEXT NOT NULL, `'` TEXT AS (hex(9)), `''` TEXT"}) {
    SCOPED_TRACE(hidden);
    make_with("trial", "message TEXT NOT NULL", hidden);
    expect_refused("table 'trial'");
  }
}

TEST_F(OwnSchemas, AnIndexOrATriggerThatIsNotOurs) {
  make("CREATE INDEX mine ON trial (length(message))");
  expect_refused("index 'mine'");
  make("CREATE INDEX Mine ON Trial (message) WHERE printf('%.*c', 200000000, message) > ''");
  expect_refused("index 'Mine'");
  for (const std::string quoted : {"[/*] ON trial (hex(message)) -- */ x (a)\n",
                                   "\"x(a)\" ON trial (hex(message))", "x ON trial (sweep, -id)"}) {
    make("CREATE INDEX " + quoted);
    EXPECT_THROW(Store(file_, Store::Mode::read_only), MachineError) << quoted;
  }
  make(
      "DROP TRIGGER trial_is_append_only; CREATE TRIGGER trial_is_append_only BEFORE INSERT ON "
      "sweep BEGIN DELETE FROM trial; END");
  expect_refused("trigger 'trial_is_append_only'");
}

// The list says what SQLite reads in it: a kind in any case, and names to the first NUL.
TEST_F(OwnSchemas, AKindOrANameThatOnlyLooksLikeAnother) {
  make("CREATE INDEX mine ON trial (length(message))");
  replace("indexminetrial", "INDEXminetrial");
  expect_refused("index 'mine'");
  make("DROP TABLE portable; CREATE VIEW portable_x AS SELECT 1 AS operation");
  replace("viewportable_xportable_x", std::string("viewportable\0xportable\0x", 24));
  replace("CREATE VIEW portable_x", "CREATE VIEW portable  ");
  expect_refused("view 'portable'");
}

TEST_F(OwnSchemas, TablesOfSqliteItselfAreAsSqliteMakesThem) {
  make("CREATE TABLE sqlXte_stat1 (tbl, idx, stat AS (hex(idx)))");
  for (int i = 0; i < 3; ++i) replace("sqlXte_stat1", "sqlite_stat1");
  expect_refused("table 'sqlite_stat1'");
}

TEST_F(OwnSchemas, WhatTheUserAddedIsLeftAlone) {
  make(
      "CREATE VIEW mine AS SELECT * FROM trial; CREATE TABLE notes (t TEXT DEFAULT (hex(9)));"
      "CREATE INDEX notes_by_text ON notes (lower(t)); CREATE INDEX fastest ON trial (outcome, "
      "median_us); CREATE TABLE counted (id INTEGER PRIMARY KEY AUTOINCREMENT); ANALYZE; VACUUM");
  EXPECT_NO_THROW(Store{file_});
  EXPECT_NO_THROW(Store(file_, Store::Mode::read_only));
}

TEST_F(OwnSchemas, CommentsAndBlanksDoNotCount) {
  make_with("trial", "message TEXT NOT NULL,",
            "message\tTEXT/* the compiler's, or \"why\" */NOT NULL -- one's [own]\n ,");
  EXPECT_NO_THROW(Store{file_});
}

// Each with all migrations after it, as a file may be that was written for years.
TEST_F(OwnSchemas, EveryVersionIsOurs) {
  for (const std::string version : {"1", "3", "4", "5", "6"}) {
    SCOPED_TRACE(version);
    std::filesystem::remove(file_);
    execute("BEGIN;" +
            test::read_file(TILEWRIGHT_SOURCE_DIR "/tests/unit/db/store/schema_version_" + version +
                            ".sql") +
            "; PRAGMA application_id = 1415005268; PRAGMA user_version = " + version + "; COMMIT");
    if (version != "1") {
      EXPECT_NO_THROW(Store(file_, Store::Mode::read_only));
    }
    EXPECT_NO_THROW(Store{file_});
    EXPECT_NO_THROW(Store(file_, Store::Mode::read_only));
  }
}

}  // namespace
}  // namespace tilewright
