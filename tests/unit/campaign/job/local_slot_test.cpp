#include "campaign/job/local_slot.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace tilewright::test
