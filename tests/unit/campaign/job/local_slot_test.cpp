#include "campaign/job/local_slot.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <optional>

#include "tests/unit/tuner/worker/temporary_folder.hpp"
#include "tilewright/error.hpp"

namespace tilewright::test {
namespace {

namespace fs = std::filesystem;

TEST(LocalSlot, EachProcessHasOneAndTheNextGetsWhatADeadOneLeft) {
  const TemporaryFolder folder;
  const fs::path place = folder.path() / "job";
  std::optional<LocalSlot> one(place);
  const LocalSlot two(place);
  EXPECT_NE(one->database(), two.database());
  std::ofstream(one->database()) << "trials";
  const fs::path left = one->database();
  one.reset();
  EXPECT_EQ(LocalSlot(place).database(), left);
  EXPECT_TRUE(fs::exists(left));
}

TEST(LocalSlot, DiscardingItLeavesNothing) {
  const TemporaryFolder folder;
  const fs::path place = folder.path() / "job";
  LocalSlot one(place);
  LocalSlot two(place);
  std::ofstream(one.database()) << "trials";
  one.discard();
  EXPECT_TRUE(fs::exists(place));
  EXPECT_EQ(LocalSlot(place).database(), one.database());
  fs::remove(place / "0.lock");
  two.discard();
  EXPECT_FALSE(fs::exists(place));
}

TEST(LocalSlot, APlaceThatCannotBeUsedIsNamed) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "file") << "";
  EXPECT_THROW(LocalSlot(folder.path() / "file"), MachineError);
}

TEST(LocalSlot, TheFolderIsForThisUserAlone) {
  const TemporaryFolder folder;
  const fs::path place = folder.path() / "new" / "job";
  const LocalSlot slot(place);
  struct stat facts = {};
  ASSERT_EQ(stat(place.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 07777U, 0700U);
}

// Whoever knows the job's id can make its folder in /tmp first.
TEST(LocalSlot, WhatOthersMayHavePreparedIsNotUsed) {
  const TemporaryFolder folder;
  const fs::path mine = folder.path() / "mine";
  fs::create_directory(mine);
  std::ofstream(mine / "0.db") << "results";
  const fs::path link = folder.path() / "link";
  fs::create_directory_symlink(mine, link);
  EXPECT_THROW(LocalSlot{link}, MachineError);
  const fs::path open = folder.path() / "open";
  fs::create_directory(open);
  fs::permissions(open, fs::perms::all);
  EXPECT_THROW(LocalSlot{open}, MachineError);
  EXPECT_TRUE(fs::is_empty(open));
  EXPECT_TRUE(fs::exists(mine / "0.db"));
}

TEST(LocalSlot, ADatabaseThatNoMemberMadeStays) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "0.db") << "results";
  LocalSlot slot(folder.path());
  EXPECT_EQ(slot.database(), folder.path() / "1.db");
  slot.discard();
  EXPECT_TRUE(fs::exists(folder.path() / "0.db"));
}

}  // namespace
}  // namespace tilewright::test
