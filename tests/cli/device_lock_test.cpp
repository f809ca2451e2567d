#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <future>

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
  Holder(const fs::path& file, const std::string& text) {
    fs::create_directories(file.parent_path());
    fd_ = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    EXPECT_EQ(flock(fd_, LOCK_EX | LOCK_NB), 0);
    EXPECT_EQ(write(fd_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
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
  EXPECT_EQ(file.st_mode & 07777U, 0666U);
  EXPECT_EQ(folder.st_mode & 07777U, 01777U);
  EXPECT_EQ(sweep(home_.path(), {"--fresh"}).status, 0);
}

TEST_F(DeviceLock, WithoutWaitingItIsTheMachinesFault) {
  const Holder holder(lock(), "process 123 since 14:03:20 (tilewright\x1b[2J sweep)\n");
  const Finished finished = sweep(home_.path(), {"--no-wait"});
  EXPECT_EQ(finished.status, 3);
  EXPECT_EQ(finished.out, "");
  EXPECT_NE(finished.err.find("host is measured by process 123 since 14:03:20 (tilewright\\x1b[2J "
                              "sweep)\n"),
            std::string::npos)
      << finished.err;
}

TEST_F(DeviceLock, AnInterruptEndsTheWaiting) {
  const Holder holder(lock(), "");
  const Opens opens(lock());
  // To try, to read who has it, and, once it has said so, to try again.
  const Finished finished = sweep(home_.path(), {}, [&] { return opens.count() >= 3; });
  EXPECT_EQ(finished.status, 130);
  EXPECT_NE(finished.err.find("host is measured by another process; waiting (--no-wait"),
            std::string::npos)
      << finished.err;
}

TEST_F(DeviceLock, WhatIsOnRecordNeedsNoDevice) {
  ASSERT_EQ(sweep(home_.path()).status, 0);
  const Holder holder(lock(), "");
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
  { const Holder holder(lock(), "process 1 since 00:00:00 (gone)\n"); }
  const Finished finished = sweep(home_.path(), {"--no-wait"});
  EXPECT_EQ(finished.status, 0) << finished.err;
  EXPECT_NE(content_of(lock()).find("(tilewright sweep gemm/naive"), std::string::npos)
      << content_of(lock());
}

}  // namespace
}  // namespace tilewright::test
