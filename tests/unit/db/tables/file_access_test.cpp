// What lies beside a database: journals that killed writers left, and what others put there.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <map>

#include "db/store/store.hpp"
#include "tests/support/planted_journal.hpp"
#include "tests/unit/db/samples.hpp"
#include "tilewright/error.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;
using test::contains;
using test::measured;
using test::message_of;
using test::sweep_key;

constexpr std::chrono::milliseconds kImpatient(50);

class Journals : public ::testing::Test {
 protected:
  Journals() {
    Store store(file_);
    test::finished(store, sweep_key(), {measured(8, 10)});
  }

  // What a writer leaves that is killed after it has changed the file itself.
  void kill_writer() {
    fs::copy_file(file_, folder_ / "live.db");
    Database database(folder_ / "live.db", Database::Mode::read_write, kImpatient);
    database.execute("PRAGMA cache_size = 1; BEGIN IMMEDIATE; DELETE FROM best");
    for (int i = 0; i < 200; ++i)  // more than the cache
      Statement(database,
                "INSERT INTO environment (driver, runtime, compiler, tool) VALUES (?, '', '', '')",
                {std::string(2000, 'x') + std::to_string(i)})
          .run();
    test::write_file(file_, test::read_file(folder_ / "live.db"));
    test::write_file(journal_, test::read_file(folder_ / "live.db-journal"));
    database.execute("ROLLBACK");
  }
  std::map<fs::path, std::string> all_files() const {
    std::map<fs::path, std::string> files;
    for (const auto& entry : fs::directory_iterator(folder_.path()))
      files[entry.path()] = entry.is_regular_file() ? test::read_file(entry.path()) : "";
    return files;
  }
  std::string refusal(Store::Mode mode) const {
    return message_of<MachineError>([&] { Store store(file_, mode, kImpatient); });
  }
  void expect_refused_by_both(const std::string& part) const {
    const auto before = all_files();
    for (const Store::Mode mode : {Store::Mode::read_only, Store::Mode::read_write}) {
      const std::string message = refusal(mode);
      EXPECT_TRUE(contains(message, file_.string()) && contains(message, part)) << message;
      EXPECT_FALSE(contains(message, "\n")) << message;
      EXPECT_TRUE(all_files() == before);
    }
  }

  test::Folder folder_;
  fs::path file_ = folder_ / "j.db";
  fs::path journal_ = folder_ / "j.db-journal";
};

// SQLite ends a journal at a damaged or unfinished record.
TEST_F(Journals, OneThatIsDamagedChangesNothingBesideIt) {
  kill_writer();
  const std::string journal = test::read_file(journal_);
  for (std::size_t size = 0; size < journal.size(); size += 997) {
    test::write_file(journal_, journal.substr(0, size));
    const auto before = all_files();
    try {
      const Store store(file_, Store::Mode::read_only, kImpatient);
    } catch (const MachineError& error) {
      EXPECT_TRUE(contains(error.what(), file_.string())) << error.what();
    }
    EXPECT_TRUE(all_files() == before) << size;
  }
}

TEST_F(Journals, AKilledWritersIsRolledBackForReadersWhoWriteNothing) {
  kill_writer();
  const auto before = all_files();
  const Store store(file_, Store::Mode::read_only, kImpatient);
  EXPECT_TRUE(store.is_copy());
  EXPECT_EQ(store.best({}).size(), 1U);
  EXPECT_EQ(Database(file_, Database::Mode::read_only, kImpatient)
                .integer("SELECT count(*) FROM environment"),
            1);
  EXPECT_TRUE(all_files() == before);
}

TEST_F(Journals, OfTheTransactionThatMadeTheFileLeavesAnEmptyOne) {
  std::string header = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";
  header.resize(512);
  header[22] = '\2';    // a sector of 512 bytes
  header[26] = '\x10';  // a page of 4096 bytes
  test::write_file(journal_, header);
  EXPECT_TRUE(contains(refusal(Store::Mode::read_only), "is empty"));
}

TEST_F(Journals, AKilledWritersIsRolledBackByTheNextWriter) {
  const std::string before = test::read_file(file_);
  kill_writer();
  { Store store(file_); }
  EXPECT_FALSE(fs::exists(journal_));
  EXPECT_EQ(test::read_file(file_), before);
  EXPECT_FALSE(Store(file_, Store::Mode::read_only).is_copy());
}

TEST_F(Journals, OneThatNamesASuperJournalIsRefusedAndDeletesNothing) {
  const fs::path victim = folder_ / "notes.txt";
  test::write_file(victim, "precious");
  test::plant_journal(file_, victim);
  expect_refused_by_both("names a file for SQLite to delete");
  // Also if it counts as finished, because a writer would go on behind its end.
  std::string bytes = test::read_file(journal_);
  bytes[0] = '\0';
  test::write_file(journal_, bytes);
  EXPECT_TRUE(contains(refusal(Store::Mode::read_only), "names a file for SQLite to delete"));
  EXPECT_TRUE(
      contains(message_of<MachineError>([&] {
                 Store(file_).add_wanted(
                     {{{sweep_key().problem, sweep_key().device, sweep_key().policy}, 1, 5, 1000}});
               }),
               "names a file for SQLite to delete"));
  EXPECT_EQ(test::read_file(victim), "precious");
}

// SQLite would wait for a pipe, and follow a link.
TEST_F(Journals, WhatIsNotARegularFileIsRefused) {
  ASSERT_EQ(mkfifo(journal_.c_str(), 0600), 0);
  expect_refused_by_both("is not a regular file");
  fs::remove(journal_);
  ASSERT_EQ(mkfifo((folder_ / "j.db-wal").c_str(), 0600), 0);
  expect_refused_by_both("is not a regular file");
  fs::remove(folder_ / "j.db-wal");
  test::write_file(folder_ / "other", "precious");
  fs::create_symlink(folder_ / "other", journal_);
  expect_refused_by_both("is not a regular file");
}

TEST_F(Journals, ReadersUseNoWriteAheadLog) {
  { Database(file_, Database::Mode::read_write, {}).execute("PRAGMA journal_mode = WAL"); }
  auto before = all_files();
  EXPECT_EQ(Store(file_, Store::Mode::read_only).best({}).size(), 1U);
  EXPECT_TRUE(all_files() == before);
  test::write_file(folder_ / "j.db-wal", "something");
  before = all_files();
  EXPECT_TRUE(contains(refusal(Store::Mode::read_only), "changes are still in"));
  EXPECT_TRUE(all_files() == before);
}

TEST_F(Journals, ReadersDeleteNothingBesideAnEmptyFile) {
  for (const char* beside : {"j.db-journal", "j.db-wal"}) {
    test::write_file(file_, "");
    test::write_file(folder_ / beside, "something");
    const auto before = all_files();
    EXPECT_TRUE(contains(refusal(Store::Mode::read_only), "is empty"));
    EXPECT_TRUE(all_files() == before) << beside;
    fs::remove(folder_ / beside);
  }
}

}  // namespace
}  // namespace tilewright
