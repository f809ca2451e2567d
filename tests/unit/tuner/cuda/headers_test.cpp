#include "tuner/cuda/compile/nvrtc.hpp"

#include <gtest/gtest.h>

#include "tests/support/folder_of_files.hpp"

namespace tilewright::cuda {
namespace {

namespace fs = std::filesystem;

class Headers : public testing::Test {
 protected:
  CudaHeaders find(const std::string& libraries) const {
    return find_headers({folder_.path() / "nowhere" / "lib", folder_.path() / libraries});
  }
  fs::path at(const std::string& name) const { return folder_.path() / name; }

  FolderOfFiles folder_;
};

TEST_F(Headers, OfAToolkit) {
  folder_.write("cuda/include/cuda_fp16.h", "");
  folder_.write("cuda/include/cccl/cub/cub.cuh", "");
  const CudaHeaders found = find("cuda/lib64");
  EXPECT_EQ(found.folders(), (std::vector{at("cuda/include"), at("cuda/include/cccl")}));
}

TEST_F(Headers, OfAnOlderToolkitAreInOneFolder) {
  folder_.write("cuda/targets/x86_64-linux/include/cuda_fp16.h", "");
  folder_.write("cuda/targets/x86_64-linux/include/cub/cub.cuh", "");
  EXPECT_EQ(find("cuda/targets/x86_64-linux/lib").folders(),
            std::vector{at("cuda/targets/x86_64-linux/include")});
}

TEST_F(Headers, OfTheWheelsOfCuda12) {
  folder_.write("nvidia/cuda_runtime/include/cuda_fp16.h", "");
  folder_.write("nvidia/cuda_cccl/include/cub/cub.cuh", "");
  EXPECT_EQ(find("nvidia/cuda_nvrtc/lib").folders(),
            (std::vector{at("nvidia/cuda_runtime/include"), at("nvidia/cuda_cccl/include")}));
}

TEST_F(Headers, OfTheWheelsOfCuda13) {
  folder_.write("nvidia/cu13/include/cuda_fp16.h", "");
  folder_.write("nvidia/cu13/include/cccl/cub/cub.cuh", "");
  EXPECT_EQ(find("nvidia/cu13/lib").folders(),
            (std::vector{at("nvidia/cu13/include"), at("nvidia/cu13/include/cccl")}));
}

TEST_F(Headers, TheFirstFolderThatHasThemCounts) {
  folder_.write("one/include/cuda_fp16.h", "");
  folder_.write("two/include/cuda_fp16.h", "");
  EXPECT_EQ(find_headers({at("one/lib"), at("two/lib")}).cuda, at("one/include"));
  EXPECT_EQ(find_headers({at("two/lib"), at("one/lib")}).cuda, at("two/include"));
}

TEST_F(Headers, TheIdentityChangesWithTheFiles) {
  EXPECT_EQ(find("cuda/lib").identity(), "");
  const fs::path file = folder_.write("cuda/include/cuda_fp16.h", "");
  const std::string first = find("cuda/lib").identity();
  EXPECT_NE(first, "");
  EXPECT_EQ(find("cuda/lib").identity(), first);
  fs::last_write_time(file, fs::last_write_time(file) + std::chrono::hours(1));
  EXPECT_NE(find("cuda/lib").identity(), first);
}

TEST_F(Headers, AMissingOneIsNamedWithTheFolders) {
  const std::string log =
      "k.cu(1): catastrophic error: could not open source file \"cub/block/block_reduce.cuh\" (no "
      "directories in search list)\n";
  const std::string without = missing_header_note(log, find("cuda/lib"));
  EXPECT_TRUE(
      without.starts_with("the header cub/block/block_reduce.cuh was not found, because "
                          "CUDA's headers are not beside NVRTC (looked in "))
      << without;
  EXPECT_NE(without.find((at("cuda/include")).string()), std::string::npos) << without;
  EXPECT_NE(without.find("nvidia-cuda-cccl"), std::string::npos) << without;
  folder_.write("cuda/include/cuda_fp16.h", "");
  EXPECT_NE(missing_header_note(log, find("cuda/lib")).find("because CCCL's headers"),
            std::string::npos);
  folder_.write("cuda/include/cub/cub.cuh", "");
  EXPECT_EQ(missing_header_note(log, find("cuda/lib")),
            "the header cub/block/block_reduce.cuh was not found in the folders of 'include', nor "
            "in " +
                at("cuda/include").string() +
                "; NVRTC has no headers of the host's compiler: say compiler = \"nvcc\" if the "
                "kernel needs them\n");
  EXPECT_EQ(missing_header_note("k.cu(1): error: no\n", find("cuda/lib")), "");
}

}  // namespace
}  // namespace tilewright::cuda
