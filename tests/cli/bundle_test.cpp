// What `tilewright bundle` refuses; that its files launch is shown by the installed package's
// tests.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/cli/run_program.hpp"

namespace tilewright::test {
namespace {

class BundleProgram : public ::testing::Test {
 protected:
  Finished run(std::vector<std::string> words) const {
    words.insert(words.begin(), "bundle");
    return run_tilewright(home_.path(), words);
  }
  TemporaryFolder home_;
  const std::string file_ = home_ / "gemm.bundle";
};

TEST_F(BundleProgram, NeedsAnOperationAndAFile) {
  EXPECT_EQ(run({"--output", file_}).status, 2);
  const Finished nowhere = run({"gemm"});
  EXPECT_EQ(nowhere.status, 2);
  EXPECT_NE(nowhere.err.find("--output FILE is missing"), std::string::npos) << nowhere.err;
  EXPECT_NE(run({"gem", "--output", file_}).err.find("did you mean 'gemm'"), std::string::npos);
}

TEST_F(BundleProgram, RefusesArchitecturesThatAreNone) {
  for (const char* name : {"sm_9", "90", "gpu", "sm_90a", "sm_090"}) {
    const Finished refused = run({"gemm", "M=8", "--arch", name, "--output", file_});
    EXPECT_NE(refused.status, 0) << name;
    EXPECT_NE(refused.err.find(name), std::string::npos) << refused.err;
  }
  EXPECT_FALSE(std::filesystem::exists(file_));
}

TEST_F(BundleProgram, RefusesMoreGeneralProblemsThanHelp) {
  const Finished refused =
      run({"gemm/naive", "--general", "10001", "--arch", "sm_90", "--output", file_});
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("a whole number from 1 to 10000"), std::string::npos) << refused.err;
}

TEST_F(BundleProgram, TakesWhatIsShippedWhereTheDatabaseHasNothing) {
  if (const std::string why = why_no_compiler(); !why.empty()) GTEST_SKIP() << why;
  const Finished finished =
      run({"gemm", "M=1024", "N=1024", "K=1024", "--arch", "sm_90", "--output", file_});
  ASSERT_EQ(finished.status, 0) << finished.err;
  EXPECT_NE(finished.out.find("gemm/blocked"), std::string::npos) << finished.out;
  EXPECT_TRUE(std::filesystem::exists(file_));
}

TEST_F(BundleProgram, ForOtherSizesTheDefaultIsAtLeastThere) {
  const Finished finished = run({"gemm/naive", "M=N=K=8", "--portfolio", "--arch", "host",
                                 "--shipped", "none", "--output", file_});
  ASSERT_EQ(finished.status, 0) << finished.err;
  EXPECT_NE(finished.err.find("1 kernel in"), std::string::npos) << finished.err;
  EXPECT_EQ(finished.out.find("portfolio"), std::string::npos) << "nothing was tuned";
  EXPECT_NE(finished.out.find("  M=N=K=8\n"), std::string::npos) << finished.out;
  const std::string by_device = home_ / "by_device";
  ASSERT_EQ(run({"gemm/naive", "M=N=K=8", "--portfolio", "--device", "host", "--shipped", "none",
                 "--output", by_device})
                .status,
            0);
  EXPECT_EQ(content_of(by_device).size(), content_of(file_).size());
}

TEST_F(BundleProgram, HasCodeForProblemsThatNobodyTuned) {
  const Finished finished = run(
      {"gemm/naive", "--general", "2", "--arch", "host", "--shipped", "none", "--output", file_});
  ASSERT_EQ(finished.status, 0) << finished.err;
  EXPECT_NE(finished.out.find("for 16 problems that nobody tuned"), std::string::npos)
      << finished.out;
  EXPECT_TRUE(std::filesystem::exists(file_));
  EXPECT_EQ(run({"gemm", "--general", "0", "--arch", "host", "--output", file_}).status, 2);
}

// Blocks of 32 are best for few elements and those of 128 for many. The default, of 64, is nearly
// as good for both.
TEST_F(BundleProgram, HasFewKernelsForThem) {
  if (const std::string why = why_no_compiler(); !why.empty()) GTEST_SKIP() << why;
  std::ofstream(home_ / "fill.cu") << "extern \"C\" __global__ void fill(float* y) "
                                      "{ y[threadIdx.x] = BLOCK; }\n";
  std::ofstream(home_ / "fill.toml") << R"(schema = 1
[operation]
name = "fill"
[[operation.dimension]]
name = "n"
default = 128
[[operation.workload]]
name = "few"
sizes = { n = [128, 500] }
[[operation.workload]]
name = "many"
sizes = { n = [1000, 5000] }
[[operation.argument]]
name = "y"
role = "output"
count = "n"
[operation.reference]
source = "fill.cu"
[[operation.reference.launch]]
entry = "fill"
grid = [1]
block = [1]
arguments = ["y"]
[[implementation]]
name = "plain"
source = "fill.cu"
general = [[{ BLOCK = 32 }, { BLOCK = 64 }, { BLOCK = 128 }]]
[[implementation.parameter]]
name = "BLOCK"
values = [32, 64, 128]
default = 64
[[implementation.launch]]
entry = "fill"
grid = [1]
block = ["BLOCK"]
arguments = ["y"]
[implementation.cost]
blocks = 1
multiprocessors = 1
work = "BLOCK == 64 ? 104 : (BLOCK == 32) == (n < 600) ? 100 : 200"
)";
  const Finished finished =
      run({home_ / "fill.toml", "--general", "3", "--arch", "sm_90", "--output", file_});
  ASSERT_EQ(finished.status, 0) << finished.err;
  EXPECT_NE(finished.out.find("1 kernel for 6 problems"), std::string::npos) << finished.out;
}

TEST_F(BundleProgram, WithoutResultsThereIsNothingToBundle) {
  const Finished nothing = run({"gemm", "--arch", "host", "--output", file_});
  EXPECT_EQ(nothing.status, 1);
  EXPECT_NE(nothing.err.find("nothing is written"), std::string::npos) << nothing.err;
  EXPECT_FALSE(std::filesystem::exists(file_));
}

}  // namespace
}  // namespace tilewright::test
