// Arguments that a kernel of the user's own fills.
#include <gtest/gtest.h>

#include "tests/cli/copy_kernel.hpp"
#include "tests/cli/run_program.hpp"

namespace tilewright::test {
namespace {

const std::string kSlopes = TILEWRIGHT_SOURCE_DIR "/tests/definitions/slopes.toml";

TEST(KernelFills, AreRunInASweep) {
  const TemporaryFolder home;
  const Finished swept = run_tilewright(home.path(), {"sweep", kSlopes, "--device", "host"});
  EXPECT_EQ(swept.status, 0) << swept.err;
  EXPECT_NE(swept.out.find("all correct"), std::string::npos) << swept.out;
}

// The host device holds 16 blocks.
TEST(KernelFills, HaveAsManyBlocksAsAreResident) {
  const TemporaryFolder home;
  const auto file = write_copy_kernel(
      home.path(),
      {{"name = \"in\"",
        "name = \"in\"\nfill = { kind = \"kernel\", source = \"fill.cu\", entry = \"fill\", grid = "
        "[\"resident\"], arguments = [\"in\", \"n\"] }"}});
  write_text(home / "fill.cu",
             "__global__ void fill(float* in, int n) {\n"
             "  if (gridDim.x != 16) in[-1000000000] = 0;\n"
             "  for (int i = blockIdx.x; i < n; i += gridDim.x) in[i] = i;\n}\n");
  const Finished swept = run_tilewright(home.path(), {"sweep", file, "--device", "host"});
  EXPECT_EQ(swept.status, 0) << swept.err;
}

class BadKernelFill : public ::testing::Test {
 protected:
  Finished sweep(const std::string& fill, const std::string& source) const {
    const auto file =
        write_copy_kernel(home_.path(), {{"name = \"in\"",
                                          "name = \"in\"\nfill = { kind = \"kernel\", source = "
                                          "\"fill.cu\", " +
                                              fill + ", arguments = [\"in\", \"n\"] }"}});
    write_text(home_ / "fill.cu", source);
    return run_tilewright(home_.path(), {"sweep", file, "--device", "host"});
  }
  TemporaryFolder home_;
};

TEST_F(BadKernelFill, ThatDoesNotCompileIsNamed) {
  const Finished swept =
      sweep("entry = \"fill\"", "__global__ void fill(float* in, int n) { oops }");
  EXPECT_EQ(swept.status, 2);
  EXPECT_NE(swept.err.find("the kernel that fills 'in'"), std::string::npos) << swept.err;
  EXPECT_NE(swept.err.find("does not compile"), std::string::npos) << swept.err;
}

TEST_F(BadKernelFill, ThatCannotRunIsNamed) {
  const Finished none = sweep("entry = \"other\"", "__global__ void fill(float* in, int n) {}");
  EXPECT_NE(none.status, 0);
  EXPECT_NE(none.err.find("fill"), std::string::npos) << none.err;
  const Finished empty = sweep("entry = \"fill\", grid = [0]",
                               "__global__ void fill(float* in, int n) { in[0] = n; }");
  EXPECT_EQ(empty.status, 2) << empty.err;
  EXPECT_NE(empty.err.find("copy.toml: grid[0] of the launch 'fill', which gives the right answers "
                           "or fills an argument, is 0; the least is 1"),
            std::string::npos)
      << empty.err;
}

}  // namespace
}  // namespace tilewright::test
