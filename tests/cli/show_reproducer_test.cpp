#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "tests/cli/copy_kernel.hpp"
#include "tests/cli/run_program.hpp"
#include "tests/cli/show_fixture.hpp"

namespace tilewright::test {
namespace {

namespace fs = std::filesystem;

// A copy of the built-in kernels in which the loop of gemm/naive begins with this.
fs::path kernels_whose_naive_begins(const fs::path& folder, const std::string& begin) {
  fs::copy(kShowSource + "/kernel_templates", folder, fs::copy_options::recursive);
  const fs::path source = folder / "gemm/naive/naive.cu";
  std::string text = content_of(source);
  const std::string first = "int k = 0;";
  write_text(source, text.replace(text.find(first), first.size(), begin));
  return folder;
}

// On the CPU, with a stand-in for CUDA's runtime.
class ReproducerOnCpu : public Show {
 protected:
  Finished run_reproducer(std::vector<std::string> words) const {
    const fs::path file = home_ / "reproducer.cu";
    words.insert(words.end(), {"--reproducer", "--arch", "sm_90", "--output", file});
    const Finished written = show(words);
    EXPECT_EQ(written.status, 0) << written.err;
    const std::string program = home_ / "reproducer";
    const Finished compiled =
        shell("c++ -x c++ -std=c++17 -w -I" + kShowSource + " -I" + kShowSource +
              "/tests/support/cuda_on_cpu " + file.string() + " -o " + program);
    EXPECT_EQ(compiled.status, 0) << compiled.out;
    return shell(program + " 2");
  }
};

TEST_F(ReproducerOnCpu, ComputesChecksAndTimes) {
  const Finished run = run_reproducer({"gemm/tiled", "M=20", "N=36", "K=17", "epilogue=bias_relu",
                                       "--config", "BLOCK_X=8 BLOCK_Y=8 TILE_WIDTH=8 UNROLL=8"});
  EXPECT_EQ(run.status, 0) << run.out;
  expect_in(run.out, {"M=20 N=36 K=17", "\n  c: right, largest error ", "\n  2 calls, ",
                      "M=37 N=53 K=29", "M=N=K=1"});
  EXPECT_EQ(run.out.find("WRONG"), std::string::npos) << run.out;
}

TEST_F(ReproducerOnCpu, FindsAWrongAnswer) {
  const fs::path kernels = kernels_whose_naive_begins(home_ / "kernels", "int k = 1;");
  const Finished run = run_reproducer(
      {"gemm/naive", "M=N=K=16", "--config", "BLOCK_X=8 BLOCK_Y=4", "--kernels", kernels});
  EXPECT_NE(run.status, 0);
  expect_in(run.out, {"\n  c: WRONG in 256 places, the first [0]: "});
}

TEST_F(ReproducerOnCpu, OfAKernelOfOnesOwnRunsItsReference) {
  const Finished run =
      run_reproducer({kShowSource + "/examples/stencil5/stencil5.toml", "height=20", "width=21",
                      "--config", "BLOCK_X=32 BLOCK_Y=1"});
  EXPECT_EQ(run.status, 0) << run.out;
  expect_in(run.out, {"out: right", "height=37 width=53"});
}

TEST_F(ReproducerOnCpu, FillsArgumentsByKernels) {
  const Finished run = run_reproducer(
      {kShowSource + "/tests/definitions/slopes.toml", "n=300", "--config", "BLOCK=64"});
  EXPECT_EQ(run.status, 0) << run.out;
  expect_in(run.out, {"n=300\n", "y: right", "n=1\n", "n=1000\n"});
  EXPECT_EQ(run.out.find("WRONG"), std::string::npos) << run.out;
}

// The stand-in's device has 9 multiprocessors, each with 2 blocks: 2 of 18 blocks have no work.
TEST_F(ReproducerOnCpu, HasGridsOfResidentBlocks) {
  const std::string file = write_copy_kernel(
      home_.path(), {{"grid = [\"ceil_div(n, BLOCK)\"]",
                      "grid = [\"resident % 4 == 2 ? max(resident, ceil_div(n, BLOCK)) : 1\"]"}});
  const Finished run = run_reproducer({file, "n=500", "--config", "BLOCK=32"});
  EXPECT_EQ(run.status, 0) << run.out;
  expect_in(run.out, {"out: right"});
  expect_in(content_of(home_ / "reproducer.cu"),
            {"with_grid(\"copy\", kernel_0, {{1, 1, 1}, {32, 1, 1}, {1, 1, 1}, 0},",
             "Grid{(((resident % 4) == 2) ? max(resident, 16) : 1), 1, 1}"});
  const Finished few =
      run_reproducer({write_copy_kernel(home_.path(), {{
                                                          "grid = [\"ceil_div(n, BLOCK)\"]",
                                                          "grid = [\"(1 - resident) / 3\"]",
                                                      }}),
                      "n=500", "--config", "BLOCK=32"});
  EXPECT_NE(few.status, 0) << few.out;
}

// Compiled by the line that it has, in its folder, and run.
class ReproducerForHost : public Show {
 protected:
  Finished run_reproducer(std::vector<std::string> words) const {
    words.insert(words.end(), {"--reproducer", "--device", "host", "--output", home_ / "bad.cpp"});
    const Finished written = show(words);
    EXPECT_EQ(written.status, 0) << written.err;
    const std::string text = content_of(home_ / "bad.cpp");
    const std::string before = "To compile:\n//   ";
    const std::size_t line = text.find(before) + before.size();
    const std::string folder = "cd " + home_.path().string() + " && ";
    const Finished compiled =
        shell("(" + folder + text.substr(line, text.find('\n', line) - line) + ")");
    EXPECT_EQ(compiled.status, 0) << compiled.out;
    return shell("(" + folder + "./bad)");
  }
};

TEST_F(ReproducerForHost, OfABuiltInKernelIsRight) {
  const Finished run = run_reproducer({"gemm/tiled", "M=20", "N=36", "K=17", "epilogue=bias_relu",
                                       "--config", "BLOCK_X=8 BLOCK_Y=8 TILE_WIDTH=8 UNROLL=8"});
  EXPECT_EQ(run.status, 0) << run.out;
  expect_in(run.out, {"M=20 N=36 K=17", "\n  c: right, largest error ", "M=N=K=1"});
  EXPECT_EQ(run.out.find("calls"), std::string::npos) << "nothing is timed: " << run.out;
}

// With shuffles, and with headers of the C library and of a folder.
TEST_F(ReproducerForHost, OfAKernelOfOnesOwnIsRight) {
  const Finished run = run_reproducer({kShowSource + "/tests/definitions/warps.toml", "warps=9"});
  EXPECT_EQ(run.status, 0) << run.out;
  expect_in(run.out, {"warps=9\n", "sums: right"});
  const Finished filled = run_reproducer(
      {kShowSource + "/tests/definitions/slopes.toml", "n=300", "--config", "BLOCK=64"});
  EXPECT_EQ(filled.status, 0) << filled.out;
  expect_in(filled.out, {"n=300\n", "y: right"});
  const Finished prepared = run_reproducer(
      {kShowSource + "/tests/definitions/prepared.toml/ring_filter/reordered", "filter=prepared"});
  EXPECT_EQ(prepared.status, 0) << prepared.out;
  expect_in(prepared.out, {"filter=prepared", "y: right"});
}

TEST_F(ReproducerForHost, NamesTheLineOfAWrongAccess) {
  const fs::path kernels = kernels_whose_naive_begins(home_ / "kernels", "int k = -1;");
  const Finished run = run_reproducer({"gemm/naive", "M=N=K=8", "--kernels", kernels.string()});
  EXPECT_NE(run.status, 0);
  expect_in(run.out, {"heap-buffer-overflow", "in gemm_naive", "bad.cpp:"});
}

TEST_F(ReproducerForHost, NamesADeadlock) {
  write_copy_kernel(home_.path(), {});
  const fs::path source = home_ / "copy.cu";
  std::string text = content_of(source);
  const std::string head = "copy(";
  const std::size_t body = text.find('{', text.find(head)) + 1;
  write_text(source, text.insert(body,
                                 "\n  if (threadIdx.x == 3) __syncthreads(); else "
                                 "__shfl_sync(~0u, 1, 0);\n"));
  const Finished run = run_reproducer({home_ / "copy.toml", "n=64", "--config", "BLOCK=32"});
  EXPECT_NE(run.status, 0);
  expect_in(run.out, {"deadlock: all threads of the block wait"});
}

TEST_F(ReproducerForHost, IsRefusedWhereItLacksSomething) {
  const Finished refused = show({kShowSource + "/tests/definitions/lookup.toml/lookup/fetched",
                                 "count=100", "--device", "host", "--reproducer"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(refused.out, "");
  expect_in(refused.err, {"has no tensor maps and no textures; --source"});
}

// Compiled as a user would; nothing is run.
class ReproducerWithNvcc : public Show, public ::testing::WithParamInterface<const char*> {};

std::string nvcc() {
  for (const char* program : {"nvcc", "/usr/local/cuda/bin/nvcc"})
    if (std::system((std::string("command -v ") + program + " > /dev/null").c_str()) == 0)
      return program;
  return "";
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('|', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

TEST_P(ReproducerWithNvcc, Compiles) {
  if (nvcc().empty()) GTEST_SKIP() << "there is no nvcc";
  const fs::path file = home_ / "reproducer.cu";
  std::vector<std::string> words = words_of(GetParam());
  if (words.front().starts_with("tests/")) words.front() = kShowSource + "/" + words.front();
  words.insert(words.end(), {"--reproducer", "--arch", "sm_90", "--output", file});
  const Finished written = show(words);
  ASSERT_EQ(written.status, 0) << written.err;
  const Finished compiled =
      shell(nvcc() + " -arch=sm_90 -c -o " + (home_ / "out.o").string() + " " + file.string());
  EXPECT_EQ(compiled.status, 0) << compiled.out;
  EXPECT_EQ(compiled.out, "");
}

INSTANTIATE_TEST_SUITE_P(
    All, ReproducerWithNvcc,
    ::testing::Values(
        "gemm/tiled|M=N=K=512",
        "gemm/blocked|M=N=K=256|epilogue=bias_gelu|--config|SPLIT_K=4 BLOCK_M=32 BLOCK_N=32 "
        "REDUCTION=launch VECTOR_A=4 VECTOR_B=4",
        "conv2d/halo|width=height=256|--config|LOADING=bulk VECTOR=4 FILTER=value OUTPUTS_X=4 "
        "OUTPUTS_Y=4 BLOCK_X=32 BLOCK_Y=4",
        "conv1d/halo|length=4096", "tests/definitions/sum.toml|count=4096",
        "tests/definitions/csr.toml|rows=100|columns=50|nonzeros=1000",
        "tests/definitions/constants.toml|width=height=100",
        "tests/definitions/iterate.toml|width=height=100|steps=3",
        "tests/definitions/slopes.toml|n=1000", "tests/definitions/cooperative.toml|count=10000",
        "tests/definitions/texture.toml/rotate/texture|width=height=100|--config|MEMORY=linear",
        "tests/definitions/lookup.toml/lookup/fetched|count=100",
        "tests/definitions/volume.toml|width=height=20|depth=5",
        "tests/definitions/layer.toml/layer/pixels|stride_x=2",
        "tests/definitions/layer.toml/layer/boxes|images=3",
        "tests/definitions/blend.toml|count=1000|type=bfloat16",
        "tests/definitions/large_tile.toml|height=70|width=140"));

}  // namespace
}  // namespace tilewright::test
