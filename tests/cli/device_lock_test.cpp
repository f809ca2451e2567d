#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <future>
#include <thread>

#include "db/store/store.hpp"
#include "tests/cli/run_program.hpp"

namespace tilewright::test {
namespace {

namespace fs = std::filesystem;

class DeviceLock : public ::testing::Test {
 protected:
  std::vector<std::string> environment() const {
    return {"TILEWRIGHT_LOCKS=" + (places_ / "locks").string()};
  }
  fs::path lock() const { return places_ / "locks" / "host"; }

  // A sweep that ends soon once it has the device.
  Finished sweep(const fs::path& home, const std::vector<std::string>& more = {},
                 const Condition& interrupt_when = {}) const {
    std::vector<std::string> words = {"sweep", "gemm/naive", "M=N=K=16", "--device", "host"};
    if (more.empty() || more[0] != "--budget") words.insert(words.end(), {"--budget", "2"});
    words.insert(words.end(), more.begin(), more.end());
    return run_tilewright(home, words, environment(), interrupt_when);
  }

  TemporaryFolder places_;
  TemporaryFolder home_;
};

// What another process does that measures: here this test itself.
class Holder {
 public:
  explicit Holder(const fs::path& file) {
    fs::create_directories(file.parent_path());
    fd_ = open(file.c_str(), O_RDONLY | O_CREAT | O_CLOEXEC, 0666);
    EXPECT_EQ(flock(fd_, LOCK_EX | LOCK_NB), 0);
  }
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;
  ~Holder() { close(fd_); }

 private:
  int fd_ = -1;
};

// Counts how often a file is opened.
class Opens {
 public:
  explicit Opens(const fs::path& file) {
    EXPECT_GE(inotify_add_watch(fd_, file.c_str(), IN_OPEN), 0);
  }
  Opens(const Opens&) = delete;
  Opens& operator=(const Opens&) = delete;
  ~Opens() { close(fd_); }
  int count() const {
    alignas(inotify_event) char events[4096];
    ssize_t bytes = 0;  // of events without names, which are equal in size
    while ((bytes = read(fd_, events, sizeof events)) > 0)
      count_ += static_cast<int>(bytes / static_cast<ssize_t>(sizeof(inotify_event)));
    return count_;
  }

 private:
  int fd_ = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  mutable int count_ = 0;
};

TEST_F(DeviceLock, LeavesAFileThatEveryUserCanLock) {
  ASSERT_EQ(sweep(home_.path()).status, 0);
  struct stat file = {}, folder = {};
  ASSERT_EQ(stat(lock().c_str(), &file), 0);
  ASSERT_EQ(stat(lock().parent_path().c_str(), &folder), 0);
  EXPECT_EQ(file.st_mode & 07777U, 0444U);
  EXPECT_EQ(file.st_size, 0);
  EXPECT_EQ(folder.st_mode & 07777U, 01777U);
  EXPECT_EQ(sweep(home_.path(), {"--fresh"}).status, 0);
}

// The kernel says who has it, whatever is in the file.
TEST_F(DeviceLock, WithoutWaitingItIsTheMachinesFault) {
  const Holder holder(lock());
  write_text(lock(), "process 1 since 14:03:20 (an earlier version)\n");
  const Finished finished = sweep(home_.path(), {"--no-wait"});
  EXPECT_EQ(finished.status, 3);
  EXPECT_EQ(finished.out, "");
  EXPECT_NE(finished.err.find(fmt::format("host is measured by process {} (", getpid())),
            std::string::npos)
      << finished.err;
  EXPECT_EQ(content_of(lock()), "process 1 since 14:03:20 (an earlier version)\n");
}

TEST_F(DeviceLock, TheCommandThatHasItIsShownWithoutWhatATerminalObeys) {
  fs::create_directory(lock().parent_path());
  write_text(lock(), "");
  FILE* const holder =
      popen(fmt::format("exec flock '{}' cat - '\x1b[2J' 2>&-", lock().string()).c_str(), "w");
  ASSERT_NE(holder, nullptr);
  const int probe = open(lock().c_str(), O_RDONLY | O_CLOEXEC);
  while (flock(probe, LOCK_SH | LOCK_NB) == 0) {
    flock(probe, LOCK_UN);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  const Finished finished = sweep(home_.path(), {"--no-wait"});
  close(probe);
  pclose(holder);
  EXPECT_NE(finished.err.find("cat - \\x1b[2J)\n"), std::string::npos) << finished.err;
}

TEST_F(DeviceLock, WhatSomebodyElsePutsInItsPlaceIsRefused) {
  const fs::path precious = places_ / "precious";
  write_text(precious, "mine");
  const auto expect_refused = [&](const std::string& what) {
    SCOPED_TRACE(what);
    const Finished finished = sweep(home_.path(), {"--fresh"});
    EXPECT_EQ(finished.status, 3);
    EXPECT_NE(finished.err.find(what), std::string::npos) << finished.err;
    EXPECT_EQ(content_of(precious), "mine");
    fs::remove_all(lock().parent_path());
  };
  fs::create_directory(places_ / "private");
  fs::create_symlink(places_ / "private", lock().parent_path());
  expect_refused("locks: it is a link, or no folder");
  EXPECT_TRUE(fs::is_empty(places_ / "private"));
  fs::create_directory(lock().parent_path());
  fs::permissions(lock().parent_path(), fs::perms::all);
  expect_refused("locks: everybody may remove the locks of others in it");
  fs::create_directory(lock().parent_path());
  fs::create_symlink(precious, lock());
  expect_refused("host: it is a link");
  fs::create_directory(lock().parent_path());
  fs::create_symlink(places_ / "private" / "new", lock());
  expect_refused("host: it is a link");
  EXPECT_TRUE(fs::is_empty(places_ / "private"));
  fs::create_directory(lock().parent_path());
  ASSERT_EQ(mkfifo(lock().c_str(), 0666), 0);
  expect_refused("host: it is not a regular file with one name");
  fs::create_directory(lock().parent_path());
  fs::create_hard_link(precious, lock());
  expect_refused("host: it is not a regular file with one name");
}

// As whoever made the folder can.
TEST_F(DeviceLock, AFileThatLostItsNameHoldsNothing) {
  const Holder holder(lock());
  fs::remove(lock());
  EXPECT_EQ(sweep(home_.path(), {"--no-wait"}).status, 0);
  EXPECT_TRUE(fs::exists(lock()));
}

TEST_F(DeviceLock, AnInterruptEndsTheWaiting) {
  const Holder holder(lock());
  const Opens opens(lock());
  // To try, to see who has it, and, once it has said so, to try again.
  const Finished finished = sweep(home_.path(), {}, [&] { return opens.count() >= 3; });
  EXPECT_EQ(finished.status, 130);
  EXPECT_NE(finished.err.find("; waiting (--no-wait"), std::string::npos) << finished.err;
}

TEST_F(DeviceLock, WhatIsOnRecordNeedsNoDevice) {
  ASSERT_EQ(sweep(home_.path()).status, 0);
  const Holder holder(lock());
  EXPECT_EQ(sweep(home_.path(), {"--no-wait"}).status, 0);
  EXPECT_EQ(sweep(home_.path(), {"--no-wait", "--fresh"}).status, 3);
}

// Both at once: whoever comes second waits, and finds the first one's answer.
TEST_F(DeviceLock, TheSecondOfTwoEqualSweepsAnswersFromTheFirst) {
  const auto run = [this] { return sweep(home_.path(), {"--budget", "40", "--jobs", "1"}); };
  auto first = std::async(std::launch::async, run);
  auto second = std::async(std::launch::async, run);
  const Finished one = first.get();
  const Finished other = second.get();
  EXPECT_EQ(one.status, 0) << one.err;
  EXPECT_EQ(other.status, 0) << other.err;
  EXPECT_EQ(one.out, other.out);
  const std::string errors = one.err + other.err;
  EXPECT_NE(errors.find("already finished"), std::string::npos) << errors;
}

// Neither sees the other's lock. The second one sees the first one's claim in the database, or
// that it has finished.
TEST_F(DeviceLock, ASweepIsMeasuredOnceEvenIfTheLocksDiffer) {
  const auto run = [this](const std::string& locks) {
    return run_tilewright(home_.path(),
                          {"sweep", "gemm/naive", "M=N=K=16", "--device", "host", "--budget", "40",
                           "--jobs", "1", "--json"},
                          {"TILEWRIGHT_LOCKS=" + (places_ / locks).string()});
  };
  auto first = std::async(std::launch::async, run, "one");
  auto second = std::async(std::launch::async, run, "other");
  const Finished one = first.get();
  const Finished other = second.get();
  EXPECT_EQ(one.status, 0) << one.err;
  EXPECT_EQ(other.status, 0) << other.err;
  EXPECT_EQ(Store(database_in(home_.path()), Store::Mode::read_only).sweeps({}).size(), 1U);
  const std::string errors = one.err + other.err;
  EXPECT_EQ(errors.find("continuing an interrupted sweep"), std::string::npos) << errors;
  EXPECT_NE(errors.find("already finished"), std::string::npos) << errors;
}

TEST_F(DeviceLock, IsAtOnePlaceOfTheHostWhateverTmpdirSays) {
  const Finished finished = run_tilewright(
      home_.path(), {"sweep", "gemm/naive", "M=N=K=16", "--device", "host", "--budget", "2"},
      {"TILEWRIGHT_LOCKS=", "TMPDIR=" + places_.path().string()});
  EXPECT_EQ(finished.status, 0) << finished.err;
  EXPECT_FALSE(fs::exists(places_ / "tilewright-locks"));
  EXPECT_TRUE(fs::exists("/tmp/tilewright-locks/host"));
}

// A killed holder holds nothing.
TEST_F(DeviceLock, GoesWithItsProcess) {
  { const Holder holder(lock()); }
  const Finished finished = sweep(home_.path(), {"--no-wait"});
  EXPECT_EQ(finished.status, 0) << finished.err;
}

}  // namespace
}  // namespace tilewright::test
