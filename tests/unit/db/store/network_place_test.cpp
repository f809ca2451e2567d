#include "db/store/store.hpp"

#include <gtest/gtest.h>

#include "tests/unit/db/samples.hpp"

namespace tilewright {
namespace {

TEST(NetworkPlace, AFolderOfThisMachineIsNone) {
  const test::Folder folder;
  EXPECT_EQ(network_file_system(folder / "none" / "results.db"), "");
  EXPECT_EQ(network_file_system(std::filesystem::path("/proc/none/results.db")), "");
}

// The numbers of magic.h, also where they were taken for negative ones.
TEST(NetworkPlace, IsNamed) {
  EXPECT_EQ(network_file_system(0x6969), "NFS");
  EXPECT_EQ(network_file_system(0x0bd00bd0), "Lustre");
  EXPECT_EQ(network_file_system(0xff534d42), "CIFS");
  EXPECT_EQ(network_file_system(static_cast<long>(static_cast<int>(0xff534d42))), "CIFS");
  EXPECT_EQ(network_file_system(0xef53), "");  // ext4
}

}  // namespace
}  // namespace tilewright
