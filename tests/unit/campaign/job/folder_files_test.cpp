#include "campaign/job/folder_files.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <mutex>
#include <thread>

#include "tests/unit/campaign/job/sample_job.hpp"
#include "tests/unit/tuner/worker/temporary_folder.hpp"
#include "tilewright/error.hpp"

namespace tilewright::test {
namespace {

TEST(FolderFiles, DoWhatTheySay) {
  const TemporaryFolder folder;
  const auto files = files_on_disk();
  files->make_folder(folder.path() / "a" / "b");
  files->make_empty_file(folder.path() / "a" / "z");
  files->write(folder.path() / "a" / "y", "text");
  files->write(folder.path() / "a" / "x.12.tmp", "half");
  EXPECT_EQ(files->names_in(folder.path() / "a"), (std::vector<std::string>{"b", "y", "z"}));
  EXPECT_EQ(files->read(folder.path() / "a" / "y"), "text");
  files->write(folder.path() / "a" / "y", "other");
  EXPECT_EQ(files->read(folder.path() / "a" / "y"), "other");
  files->rename(folder.path() / "a" / "y", folder.path() / "a" / "w");
  EXPECT_FALSE(files->exists(folder.path() / "a" / "y"));
  EXPECT_TRUE(files->exists(folder.path() / "a" / "w"));
  files->remove(folder.path() / "a" / "w");
  files->remove(folder.path() / "a" / "w");
  EXPECT_FALSE(files->exists(folder.path() / "a" / "w"));
}

TEST(FolderFiles, NameTheFileThatTheyCannotUse) {
  const TemporaryFolder folder;
  const auto files = files_on_disk();
  EXPECT_THROW(files->read(folder.path() / "none"), InputError);
  EXPECT_THROW(files->names_in(folder.path() / "none"), MachineError);
  EXPECT_THROW(files->write(folder.path() / "none" / "file", ""), MachineError);
  files->rename(folder.path() / "none", folder.path() / "other");
  EXPECT_FALSE(files->exists(folder.path() / "other"));
}

// Threads with one object, as processes with one folder.
TEST(FolderFiles, MembersThatClaimTogetherGetEachUnitOnce) {
  constexpr std::size_t kUnits = 120;
  constexpr int kMembers = 8;
  const TemporaryFolder folder;
  const auto files = files_on_disk();
  Job::create(*files, folder.path() / "job", sample_plan(kUnits));
  std::mutex mutex;
  std::map<std::string, int> claims;
  std::vector<std::jthread> threads;
  for (int i = 0; i < kMembers; ++i)
    threads.emplace_back([&, i] {
      Job job(*files, folder.path() / "job");
      JobMember member(job, id_of(i), "thread");
      while (const JobUnit* const unit = member.claim()) {
        const bool is_finished = member.finish(*unit, "result");
        const std::scoped_lock lock(mutex);
        if (is_finished) ++claims[unit->id];
      }
    });
  threads.clear();
  EXPECT_EQ(claims.size(), kUnits);
  for (const auto& [unit, count] : claims) EXPECT_EQ(count, 1) << unit;
  EXPECT_EQ(files->names_in(folder.path() / "job" / "done").size(), kUnits);
  EXPECT_EQ(files->names_in(folder.path() / "job" / "results").size(), kUnits);
}

}  // namespace
}  // namespace tilewright::test
