#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <fstream>
#include <memory>

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
using test::measured;
using test::sweep_key;

constexpr std::chrono::milliseconds kQuickToGiveUp(50);

// What happens to the file while a sweep goes on.
class StoreInUse : public ::testing::Test {
 protected:
  // The sentence of the next write, of any kind.
  std::string refusal() {
    const std::string add =
        test::message_of<MachineError>([&] { store_->add_trial(sweep_.id, measured(16, 5)); });
    const std::string finish =
        test::message_of<MachineError>([&] { store_->finish_sweep(sweep_.id, "{}"); });
    EXPECT_EQ(add, finish);
    EXPECT_TRUE(contains(add, "'" + file_.string() + "'")) << add;
    return add;
  }

  test::Folder folder_;
  fs::path file_ = folder_ / "in_use.db";
  std::unique_ptr<Store> store_ =
      std::make_unique<Store>(file_, Store::Mode::read_write, kQuickToGiveUp);
  SweepRecord sweep_ = store_->begin_sweep(sweep_key(), environment(), Store::Start::fresh);
};

TEST_F(StoreInUse, DeletedFile) {
  store_->add_trial(sweep_.id, measured(8, 5));
  fs::remove(file_);
  EXPECT_TRUE(contains(refusal(), "was deleted while in use")) << refusal();
  EXPECT_FALSE(fs::exists(file_));
  EXPECT_EQ(store_->trials(sweep_.id).size(), 1U);
}

TEST_F(StoreInUse, DeletedFolder) {
  fs::remove_all(folder_.path());
  EXPECT_TRUE(contains(refusal(), "was deleted while in use")) << refusal();
}

TEST_F(StoreInUse, ReplacedFileIsNotTouched) {
  {
    Store other(folder_ / "other.db");
    test::finished(other, sweep_key(512), {measured(8, 1)});
  }
  const std::string bytes = test::read_file(folder_ / "other.db");
  fs::rename(folder_ / "other.db", file_);
  EXPECT_TRUE(contains(refusal(), "was replaced while in use")) << refusal();
  EXPECT_EQ(test::read_file(file_), bytes);
  EXPECT_FALSE(fs::exists(file_.string() + "-journal"));
}

// Mounts an empty file system over the folder, which only this process and its children see. Its
// first file has the same number each time.
bool mount_over(const fs::path& folder) {
  return ::mount("none", folder.c_str(), "tmpfs", 0, nullptr) == 0;
}

// Lets this process mount. False if this machine does not allow it.
bool may_mount() {
  const uid_t user = ::getuid();
  const gid_t group = ::getgid();
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  std::ofstream("/proc/self/setgroups") << "deny";
  std::ofstream("/proc/self/uid_map") << "0 " << user << " 1";
  std::ofstream("/proc/self/gid_map") << "0 " << group << " 1";
  return true;
}

TEST(StoreOnAnotherFileSystem, WithTheSameNumberIsReplaced) {
  const test::Folder folder;
  Child child([&](const Child::Report& report) {
    const auto open = [&] {
      return Database(folder / "a.db", Database::Mode::read_write, kQuickToGiveUp);
    };
    if (!may_mount() || !mount_over(folder.path())) {
      report("no mounts");
      ::pause();
    }
    Database database = open();
    database.execute("CREATE TABLE one (x)");
    mount_over(folder.path());
    open().execute("CREATE TABLE other (x)");
    report(test::message_of<MachineError>(
        [&] { const Transaction writing(database, Transaction::Kind::writing); }));
    ::pause();
  });
  const std::string line = child.line();
  child.kill();
  if (line == "no mounts") GTEST_SKIP() << "this user may not mount file systems";
  EXPECT_TRUE(contains(line, "was replaced while in use")) << line;
}

TEST_F(StoreInUse, MovedAwayAndBack) {
  fs::rename(file_, folder_ / "away.db");
  EXPECT_TRUE(contains(refusal(), "was deleted while in use")) << refusal();
  fs::rename(folder_ / "away.db", file_);
  store_->add_trial(sweep_.id, measured(8, 5));
  EXPECT_EQ(Store(file_).trials(sweep_.id).size(), 1U);
}

TEST_F(StoreInUse, EmptiedFile) {
  store_->add_trial(sweep_.id, measured(8, 5));
  fs::resize_file(file_, 0);
  EXPECT_TRUE(contains(refusal(), "was emptied while in use")) << refusal();
  EXPECT_EQ(fs::file_size(file_), 0U);
}

TEST_F(StoreInUse, CutFile) {
  store_->add_trial(sweep_.id, measured(8, 5));
  fs::resize_file(file_, fs::file_size(file_) / 2);
  const auto size = fs::file_size(file_);
  EXPECT_TRUE(contains(refusal(), "is damaged")) << refusal();
  EXPECT_EQ(fs::file_size(file_), size);
}

TEST_F(StoreInUse, LockedForTooLongAndThenFree) {
  store_.reset();
  Child child([&](const Child::Report& report) {
    Database database(file_, Database::Mode::read_write, kQuickToGiveUp);
    while (!fs::exists(folder_ / "opened")) ::usleep(1000);
    database.execute("BEGIN IMMEDIATE");
    report("locked");
    ::pause();
  });
  store_ = std::make_unique<Store>(file_, Store::Mode::read_write, kQuickToGiveUp);
  test::write_file(folder_ / "opened", "");
  ASSERT_EQ(child.line(), "locked");
  EXPECT_TRUE(contains(refusal(), "locked by another process for more than 0.05 s")) << refusal();
  child.kill();
  store_->add_trial(sweep_.id, measured(8, 5));
  EXPECT_EQ(store_->trials(sweep_.id).size(), 1U);
}

// Eight sweeps and two readers at once, as processes. Reports of a reader are what it saw wrong.
class ManyAtOnce : public ::testing::Test {
 protected:
  static constexpr std::int64_t kWriters = 8;
  static constexpr std::int64_t kTrials = 50;

  void write(std::int64_t size, const Child::Report& report) {
    Store store(file_);  // all of them create it
    const auto sweep = store.begin_sweep(sweep_key(size), environment(), Store::Start::resume);
    for (std::int64_t i = 1; i <= kTrials; ++i) store.add_trial(sweep.id, measured(i, 10));
    store.finish_sweep(sweep.id, "{}");
    report("done");
  }

  // Until every sweep is finished. Trials appear in order, none is half there.
  void read(const Child::Report& report) {
    { Store created(file_); }
    for (std::size_t finished = 0; finished < kWriters;) {
      const Store store(file_, Store::Mode::read_only);
      finished = store.best({}).size();
      for (const SweepRecord& sweep : store.sweeps({})) {
        std::int64_t width = 0;
        for (const Trial& trial : store.trials(sweep.id))
          if (trial != measured(++width, 10)) report("a trial is not whole");
        if (sweep.finished != 0 && width != kTrials) report("finished before its last trial");
      }
    }
    report("done");
  }

  test::Folder folder_;
  fs::path file_ = folder_ / "many.db";
};

TEST_F(ManyAtOnce, LoseNothingAndSeeNothingHalf) {
  std::vector<std::unique_ptr<Child>> children;
  for (std::int64_t i = 1; i <= kWriters; ++i)
    children.push_back(
        std::make_unique<Child>([&, i](const Child::Report& report) { write(i, report); }));
  for (int i = 0; i < 2; ++i)
    children.push_back(std::make_unique<Child>([&](const Child::Report& report) { read(report); }));
  for (const auto& child : children) EXPECT_EQ(child->line(), "done");
  Database database(file_, Database::Mode::read_only, kQuickToGiveUp);
  EXPECT_EQ(database.integer("SELECT count(*) FROM trial"), kWriters * kTrials);
  EXPECT_EQ(database.integer("SELECT count(*) FROM best"), kWriters);
  EXPECT_EQ(database.text("PRAGMA integrity_check"), "ok");
}

}  // namespace
}  // namespace tilewright
