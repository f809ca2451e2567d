#include "db/tables/sqlite.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <iterator>
#include <limits>

#include "tests/unit/db/samples.hpp"
#include "tilewright/error.hpp"

namespace tilewright {
namespace {

using test::contains;
using test::Folder;
using test::message_of;

constexpr std::chrono::milliseconds kPatience{20};

TEST(Sqlite, CellsSurviveTheWayThereAndBack) {
  Folder folder;
  Database database(folder / "a.db", Database::Mode::read_write, kPatience);
  database.execute("CREATE TABLE t (i INTEGER, r REAL, s TEXT, n INTEGER, x REAL, y REAL)");
  const std::string text("nul \0 inside", 12);
  const double infinite = std::numeric_limits<double>::infinity();
  Statement(database, "INSERT INTO t VALUES (?, ?, ?, ?, ?, ?)",
            {std::int64_t{INT64_MIN}, 0.1, text, nullptr, std::nan(""), infinite})
      .run();
  Statement select(database, "SELECT * FROM t");
  ASSERT_TRUE(select.step());
  Columns columns(select);
  EXPECT_EQ(columns.integer(), INT64_MIN);
  EXPECT_EQ(columns.real(), 0.1);
  EXPECT_EQ(columns.text(), text);
  EXPECT_TRUE(columns.next_is_null());
  columns.skip(1);
  EXPECT_TRUE(std::isnan(columns.real()));
  EXPECT_EQ(columns.real(), infinite);
  EXPECT_FALSE(select.step());
}

TEST(Sqlite, AValueThatIsTooLongLeavesNothingOpen) {
  Folder folder;
  const auto count = [] {
    const std::filesystem::directory_iterator files("/proc/self/fd");
    return std::distance(begin(files), end(files));
  };
  const auto before = count();
  {
    Database database(folder / "a.db", Database::Mode::read_write, kPatience);
    database.execute("CREATE TABLE t (s TEXT)");
    const std::string longest((std::size_t{256} << 20) + 1, 'x');
    EXPECT_THROW(Statement(database, "INSERT INTO t VALUES (?)", {longest}), MachineError);
  }
  EXPECT_EQ(count(), before);
}

TEST(Sqlite, TransactionRollsBackUnlessCommitted) {
  Folder folder;
  Database database(folder / "a.db", Database::Mode::read_write, kPatience);
  database.execute("CREATE TABLE t (i INTEGER)");
  {
    Transaction transaction(database);
    database.execute("INSERT INTO t VALUES (1)");
  }
  EXPECT_EQ(database.integer("SELECT count(*) FROM t"), 0);
  {
    Transaction transaction(database);
    database.execute("INSERT INTO t VALUES (1)");
    transaction.commit();
  }
  EXPECT_EQ(database.integer("SELECT count(*) FROM t"), 1);
}

// Found by tests/attack/run.py.
TEST(Sqlite, WhatADamagedSchemaContainsStaysOnOneLine) {
  Folder folder;
  const auto file = folder / "a.db";
  Database(file, Database::Mode::read_write, kPatience).execute("CREATE TABLE t (i, later)");
  std::string bytes = test::read_file(file);
  bytes.replace(bytes.find("later"), 5, "[\n\x1b[X");
  test::write_file(file, bytes);
  const std::string message = message_of<MachineError>(
      [&] { Database(file, Database::Mode::read_write, kPatience).execute("SELECT * FROM t"); });
  EXPECT_TRUE(contains(message, "is damaged (malformed database schema")) << message;
  EXPECT_TRUE(contains(message, "[\\x0a\\x1b[X")) << message;
}

TEST(Sqlite, FullDatabaseIsOneSentenceAndKeepsWhatWasCommitted) {
  Folder folder;
  Database database(folder / "full.db", Database::Mode::read_write, kPatience);
  database.execute("CREATE TABLE t (s TEXT); INSERT INTO t VALUES ('kept')");
  database.execute("PRAGMA max_page_count = 4");
  const std::string message = message_of<MachineError>([&] {
    Transaction transaction(database);
    Statement(database, "INSERT INTO t VALUES (?)", {std::string(100000, 'x')}).run();
    transaction.commit();
  });
  EXPECT_TRUE(contains(message, "full.db")) << message;
  EXPECT_TRUE(contains(message, "disk is full")) << message;
  EXPECT_EQ(database.integer("SELECT count(*) FROM t"), 1);
}

TEST(Sqlite, ReadOnlyConnectionRefusesToWrite) {
  Folder folder;
  Database(folder / "a.db", Database::Mode::read_write, kPatience)
      .execute("CREATE TABLE t (i INTEGER)");
  Database database(folder / "a.db", Database::Mode::read_only, kPatience);
  const std::string message =
      message_of<MachineError>([&] { database.execute("INSERT INTO t VALUES (1)"); });
  EXPECT_TRUE(contains(message, "a.db' cannot be written")) << message;
}

TEST(Sqlite, NamesThatSqliteWouldInterpretAreFiles) {
  Folder folder;
  for (const std::string name : {":memory:", "file:x?mode=memory"}) {
    Database(folder / name, Database::Mode::read_write, kPatience).execute("CREATE TABLE t (i)");
    EXPECT_TRUE(std::filesystem::exists(folder / name)) << name;
  }
}

TEST(Sqlite, BadSqlNamesTheFile) {
  Folder folder;
  Database database(folder / "a.db", Database::Mode::read_write, kPatience);
  const std::string message =
      message_of<MachineError>([&] { Statement(database, "SELECT * FROM missing").run(); });
  EXPECT_TRUE(contains(message, "a.db") && contains(message, "no such table")) << message;
}

TEST(Sqlite, DeletedFileIsNoticedWhenWriting) {
  Folder folder;
  Database database(folder / "a.db", Database::Mode::read_write, kPatience);
  database.execute("CREATE TABLE t (i INTEGER)");
  std::filesystem::remove(folder / "a.db");
  const std::string message = message_of<MachineError>([&] {
    Transaction transaction(database);
    database.execute("INSERT INTO t VALUES (1)");
    transaction.commit();
  });
  EXPECT_TRUE(contains(message, "a.db' was deleted while in use")) << message;
}

TEST(Sqlite, AFolderDeletedDuringATransactionIsNoticedAtItsEnd) {
  Folder folder;
  const auto data = folder / "data";
  std::filesystem::create_directory(data);
  Database database(data / "a.db", Database::Mode::read_write, kPatience);
  database.execute("CREATE TABLE t (i INTEGER)");
  const std::string message = message_of<MachineError>([&] {
    Transaction transaction(database);
    database.execute("INSERT INTO t VALUES (1)");
    std::filesystem::remove_all(data);
    transaction.commit();
  });
  EXPECT_TRUE(contains(message, "a.db' was moved, replaced or deleted while in use")) << message;
}

TEST(Sqlite, VersionIsThatOfTheLibrary) {
  EXPECT_EQ(sqlite_version().substr(0, 2), "3.");
}

}  // namespace
}  // namespace tilewright
