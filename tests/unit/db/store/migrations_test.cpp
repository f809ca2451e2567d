#include "db/store/migrations.hpp"

#include <gtest/gtest.h>

#include "tests/unit/db/samples.hpp"
#include "tilewright/error.hpp"

namespace tilewright {
namespace {

using test::contains;
using test::Folder;
using test::message_of;

constexpr std::chrono::milliseconds kMigrationPatience{20};

const SchemaPlan kFirst{77, 1, "CREATE TABLE IF NOT EXISTS t (a INTEGER)", {}};
const SchemaPlan kThird{77,
                        3,
                        "CREATE TABLE IF NOT EXISTS t (a INTEGER, b INTEGER, c INTEGER)",
                        {"ALTER TABLE t ADD COLUMN b INTEGER DEFAULT 2",
                         "ALTER TABLE t ADD COLUMN c INTEGER; UPDATE t SET c = a + b"}};

class Migrations : public ::testing::Test {
 protected:
  // A file of version 1 with a row.
  void make_old() {
    Database database(file_, Database::Mode::read_write, kMigrationPatience);
    prepare_schema(database, kFirst);
    database.execute("INSERT INTO t VALUES (1)");
  }
  std::int64_t version() {
    Database database(file_, Database::Mode::read_only, kMigrationPatience);
    return database.integer("PRAGMA user_version");
  }
  std::string refusal(const SchemaPlan& plan, Database::Mode mode) {
    return message_of<MachineError>([&] {
      Database database(file_, mode, kMigrationPatience);
      prepare_schema(database, plan);
    });
  }

  Folder folder_;
  std::filesystem::path file_ = folder_ / "m.db";
};

TEST_F(Migrations, EmptyFileIsCreatedInThePresentVersion) {
  Database database(file_, Database::Mode::read_write, kMigrationPatience);
  prepare_schema(database, kThird);
  EXPECT_EQ(database.integer("PRAGMA user_version"), 3);
  EXPECT_EQ(database.integer("PRAGMA application_id"), 77);
  EXPECT_EQ(database.integer("SELECT count(*) FROM pragma_table_info('t')"), 3);
}

TEST_F(Migrations, OlderVersionTakesEachStepInOrder) {
  make_old();
  Database database(file_, Database::Mode::read_write, kMigrationPatience);
  prepare_schema(database, kThird);
  EXPECT_EQ(database.integer("PRAGMA user_version"), 3);
  EXPECT_EQ(database.integer("SELECT c FROM t"), 3);
}

TEST_F(Migrations, FailedStepLeavesTheOldFile) {
  make_old();
  SchemaPlan broken = kThird;
  broken.steps[1] = "ALTER TABLE missing ADD COLUMN c";
  EXPECT_TRUE(contains(refusal(broken, Database::Mode::read_write), "m.db"));
  EXPECT_EQ(version(), 1);
  Database database(file_, Database::Mode::read_only, kMigrationPatience);
  EXPECT_EQ(database.integer("SELECT count(*) FROM pragma_table_info('t')"), 1);
}

TEST_F(Migrations, OlderVersionIsNotReadWithoutWriting) {
  make_old();
  EXPECT_TRUE(contains(refusal(kThird, Database::Mode::read_only), "older version 1"));
  EXPECT_EQ(version(), 1);
}

TEST_F(Migrations, NewerVersionIsRefused) {
  {
    Database database(file_, Database::Mode::read_write, kMigrationPatience);
    prepare_schema(database, kThird);
  }
  const std::string message = refusal(kFirst, Database::Mode::read_write);
  EXPECT_TRUE(contains(message, "m.db") && contains(message, "version 3")) << message;
  EXPECT_EQ(version(), 3);
}

TEST_F(Migrations, ForeignFilesAreRefused) {
  {
    Database database(file_, Database::Mode::read_write, kMigrationPatience);
    database.execute("CREATE TABLE photos (id INTEGER)");
  }
  EXPECT_TRUE(contains(refusal(kFirst, Database::Mode::read_write), "another program"));
  {
    Database database(file_, Database::Mode::read_write, kMigrationPatience);
    database.execute("PRAGMA application_id = 78; PRAGMA user_version = 1");
  }
  EXPECT_TRUE(contains(refusal(kFirst, Database::Mode::read_write), "another program"));
}

TEST_F(Migrations, OursCreatesTheTablesOfTheSchema) {
  Database database(file_, Database::Mode::read_write, kMigrationPatience);
  prepare_schema(database, schema_plan());
  for (const std::string table :
       {"device", "environment", "implementation", "problem", "policy", "sweep",
        "sweep_implementation", "trial", "best", "confirmation", "wanted", "store", "claim"})
    EXPECT_EQ(database.integer("SELECT count(*) FROM sqlite_schema WHERE name = '" + table + "'"),
              1)
        << table;
  EXPECT_EQ(static_cast<std::int64_t>(schema_plan().steps.size()), schema_plan().version - 1);
}

}  // namespace
}  // namespace tilewright
