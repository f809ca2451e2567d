#include "tuner/backend/backend.hpp"

#include <gtest/gtest.h>

#include "tests/support/folder_of_files.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

TEST(NvidiaWheels, AreFoundBesideThePackage) {
  const FolderOfFiles site;
  const fs::path package = site.path() / "tilewright";
  EXPECT_TRUE(nvidia_wheels(package).empty());
  site.write("nvidia/cuda_nvrtc/lib/libnvrtc.so.12", "");
  const fs::path of_12 = site.path() / "nvidia/cuda_nvrtc/lib";
  EXPECT_EQ(nvidia_wheels(package), std::vector{of_12});
  site.write("nvidia/cu13/lib/libnvrtc.so.13", "");
  EXPECT_EQ(nvidia_wheels(package), (std::vector{site.path() / "nvidia/cu13/lib", of_12}));
}

}  // namespace
}  // namespace tilewright
