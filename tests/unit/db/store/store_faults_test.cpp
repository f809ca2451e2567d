#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <csignal>

#include "db/store/store.hpp"
#include "db/tables/sqlite.hpp"
#include "tests/unit/db/child.hpp"
#include "tests/unit/db/samples.hpp"
#include "tilewright/error.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;
using test::Child;
using test::contains;
using test::environment;
using test::finished;
using test::measured;
using test::message_of;
using test::sweep_key;

constexpr std::chrono::milliseconds kQuick(50);

class StoreFaults : public ::testing::Test {
 protected:
  std::string refusal(Store::Mode mode = Store::Mode::read_write) {
    return message_of<MachineError>([&] { Store store(file_, mode, kQuick); });
  }
  // One sentence with the file's name.
  void expect_sentence(const std::string& message, const std::string& part) {
    EXPECT_TRUE(contains(message, file_.string())) << message;
    EXPECT_TRUE(contains(message, part)) << message;
    EXPECT_FALSE(contains(message, "\n")) << message;
  }

  test::Folder folder_;
  fs::path file_ = folder_ / "faults.db";
};

TEST_F(StoreFaults, MissingFileForReading) {
  expect_sentence(refusal(Store::Mode::read_only), "does not exist");
  EXPECT_FALSE(fs::exists(file_));
}

TEST_F(StoreFaults, EmptyFileForReading) {
  test::write_file(file_, "");
  expect_sentence(refusal(Store::Mode::read_only), "is empty");
}

TEST_F(StoreFaults, EmptyFileForWritingBecomesADatabase) {
  test::write_file(file_, "");
  Store store(file_);
  EXPECT_TRUE(store.sweeps({}).empty());
}

TEST_F(StoreFaults, DirectoryInPlaceOfTheFile) {
  fs::create_directories(file_);
  expect_sentence(refusal(), "is a directory");
  expect_sentence(refusal(Store::Mode::read_only), "is a directory");
}

TEST_F(StoreFaults, FolderThatCannotBeCreated) {
  test::write_file(folder_ / "file", "");
  file_ = folder_ / "file/x.db";
  EXPECT_TRUE(contains(refusal(), (folder_ / "file").string())) << refusal();
}

TEST_F(StoreFaults, TextIsNotADatabase) {
  const std::string text(4096, 'x');
  test::write_file(file_, text);
  expect_sentence(refusal(), "not an SQLite database");
  expect_sentence(refusal(Store::Mode::read_only), "not an SQLite database");
  EXPECT_EQ(test::read_file(file_), text);
}

TEST_F(StoreFaults, AnotherProgramsDatabase) {
  Database(file_, Database::Mode::read_write, kQuick).execute("CREATE TABLE photos (id INTEGER)");
  const std::string bytes = test::read_file(file_);
  expect_sentence(refusal(), "another program");
  EXPECT_EQ(test::read_file(file_), bytes);
}

TEST_F(StoreFaults, NewerVersion) {
  { Store store(file_); }
  Database(file_, Database::Mode::read_write, kQuick).execute("PRAGMA user_version = 1000");
  expect_sentence(refusal(), "version 1000");
  expect_sentence(refusal(Store::Mode::read_only), "version 1000");
}

TEST_F(StoreFaults, DamagedPages) {
  {
    Store store(file_);
    finished(store, sweep_key(), {measured(8, 10)});
  }
  std::string bytes = test::read_file(file_);
  ASSERT_GT(bytes.size(), 8192U);
  std::fill(bytes.begin() + 4096, bytes.end(), '\x5a');
  test::write_file(file_, bytes);
  const std::string message = message_of<MachineError>([&] {
    Store store(file_, Store::Mode::read_only, kQuick);
    store.sweeps({});
  });
  expect_sentence(message, "is damaged");
}

TEST_F(StoreFaults, TruncatedFile) {
  {
    Store store(file_);
    finished(store, sweep_key(), {measured(8, 10)});
  }
  const std::uintmax_t page = 4096;  // also between two of its pages
  for (const std::uintmax_t size : {fs::file_size(file_) - 1, fs::file_size(file_) - page, page,
                                    std::uintmax_t{700}, std::uintmax_t{90}, std::uintmax_t{20}}) {
    fs::resize_file(file_, size);
    const std::string message = message_of<MachineError>([&] {
      Store store(file_, Store::Mode::read_only, kQuick);
      store.best({});
    });
    expect_sentence(message, "is damaged: it was cut and ends at byte " + std::to_string(size) +
                                 ", before its last page");
  }
}

TEST_F(StoreFaults, WhatIsNotAFile) {
  ASSERT_EQ(mkfifo(file_.c_str(), 0600), 0);
  expect_sentence(refusal(), "is not a regular file");
  expect_sentence(refusal(Store::Mode::read_only), "is not a regular file");
}

TEST_F(StoreFaults, ARowWithAnUnknownOutcomeOrBrokenJsonIsLeftOut) {
  std::int64_t sweep = 0;
  {
    Store store(file_);
    sweep = finished(store, sweep_key(), {measured(8, 10)}).id;
  }
  for (const std::string change : {"outcome = 'melted', samples_us = NULL, median_us = NULL",
                                   "outcome = 'measured', samples_us = '[1, ', median_us = 1"}) {
    Database(file_, Database::Mode::read_write, kQuick)
        .execute("DROP TRIGGER IF EXISTS trial_is_append_only; UPDATE trial SET " + change);
    Store store(file_, Store::Mode::read_only, kQuick);
    std::string told;
    store.tell_of_bad_rows([&told](const std::string& why) { told = why; });
    EXPECT_TRUE(store.trials(sweep).empty());
    expect_sentence(told, "cannot be used");
  }
}

TEST_F(StoreFaults, StoreForReadingRefusesToWrite) {
  { Store store(file_); }
  Store store(file_, Store::Mode::read_only, kQuick);
  const std::string message = message_of<MachineError>(
      [&] { store.begin_sweep(sweep_key(), environment(), Store::Start::fresh); });
  expect_sentence(message, "cannot be written");
}

TEST_F(StoreFaults, ReadOnlyFileForWriting) {
  { Store store(file_); }
  fs::permissions(folder_.path(), fs::perms(0755));
  fs::permissions(file_, fs::perms(0444));
  Child child([&](const Child::Report& report) {
    // The administrator may write every file.
    if (::geteuid() == 0 && ::setuid(65534) != 0) return report("cannot drop privileges");
    report(refusal());
  });
  expect_sentence(child.line(), "cannot be written");
}

TEST_F(StoreFaults, LockOfAnotherProcess) {
  { Store store(file_); }
  Child child([&](const Child::Report& report) {
    Database database(file_, Database::Mode::read_write, kQuick);
    database.execute("BEGIN EXCLUSIVE");
    report("locked");
    ::pause();
  });
  ASSERT_EQ(child.line(), "locked");
  expect_sentence(refusal(), "locked by another process for more than 0.05 s");
  expect_sentence(refusal(Store::Mode::read_only), "locked by another process");
  child.kill();
  EXPECT_EQ(refusal(), "(nothing was thrown)");
}

TEST_F(StoreFaults, AWriterWaitsForAShortLock) {
  { Store store(file_); }
  Child child([&](const Child::Report& report) {
    Database database(file_, Database::Mode::read_write, kQuick);
    database.execute("BEGIN EXCLUSIVE");
    report("locked");
    ::usleep(100000);
    database.execute("COMMIT");
  });
  ASSERT_EQ(child.line(), "locked");
  Store store(file_);
  EXPECT_GT(finished(store, sweep_key(), {measured(8, 10)}).id, 0);
}

// A limit on the size of files stands for a full disk.
TEST_F(StoreFaults, DiskFullKeepsWhatWasCommitted) {
  { Store store(file_); }
  Child child([&](const Child::Report& report) {
    ::signal(SIGXFSZ, SIG_IGN);
    Store store(file_, Store::Mode::read_write, kQuick);
    const auto sweep = store.begin_sweep(sweep_key(), environment(), Store::Start::fresh);
    const rlim_t limit = fs::file_size(file_) + 32768;
    const rlimit size{limit, limit};
    ::setrlimit(RLIMIT_FSIZE, &size);
    std::int64_t committed = 0;
    const std::string message = message_of<MachineError>([&] {
      Trial trial = measured(0, 10);
      trial.message = std::string(4000, 'x');
      for (;; ++committed) {
        trial.configuration = test::tile(committed);
        store.add_trial(sweep.id, trial);
      }
    });
    report(std::to_string(committed));
    report(message);
    report(std::to_string(store.trials(sweep.id).size()));
  });
  const std::string committed = child.line();
  expect_sentence(child.line(), "cannot");
  EXPECT_EQ(child.line(), committed);
  EXPECT_GT(std::stoi(committed), 0);
  child.kill();
  Store store(file_);
  EXPECT_EQ(std::to_string(store.trials(1).size()), committed);
  store.add_trial(1, measured(100000, 10));
}

TEST_F(StoreFaults, AKilledWriterLosesNothingCommitted) {
  constexpr int kTrials = 20;
  { Store store(file_); }
  for (int round = 0; round < 3; ++round) {
    Child child([&](const Child::Report& report) {
      Store store(file_);
      const auto sweep = store.begin_sweep(sweep_key(), environment(), Store::Start::resume);
      for (std::int64_t i = 0;; ++i) {
        store.add_trial(sweep.id, measured(round * 1000000 + i, 10));
        report("committed");
      }
    });
    int committed = 0;
    while (committed < kTrials && child.line() == "committed") ++committed;
    child.kill();
    while (child.line() == "committed") ++committed;

    Store store(file_);
    ASSERT_EQ(store.sweeps({}).size(), 1U);
    std::int64_t kept = 0;
    for (const Trial& trial : store.trials(store.sweeps({}).front().id)) {
      EXPECT_EQ(trial.timing, measured(1, 10).timing);
      const auto width = std::get<std::int64_t>(trial.configuration.values.at("TILE_WIDTH"));
      if (width >= round * 1000000) ++kept;
    }
    // The kill may come between a commit and its report.
    EXPECT_GE(kept, committed);
    EXPECT_LE(kept, committed + 1);
  }
}

}  // namespace
}  // namespace tilewright
