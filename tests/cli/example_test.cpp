#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/run_program.hpp"

namespace tilewright::test {
namespace {

// What docs/your-kernel.md does with examples/stencil5.
const std::string kManifest = TILEWRIGHT_SOURCE_DIR "/examples/stencil5/stencil5.toml";

TEST(StencilExample, IsPlanned) {
  if (const std::string why = why_no_compiler(); !why.empty()) GTEST_SKIP() << why;
  const TemporaryFolder home;
  const Finished finished = run_tilewright(
      home.path(),
      {"plan", kManifest, "height=1000", "--compile", "3", "--arch", "sm_90", "--json"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  const auto json = nlohmann::json::parse(finished.out);
  const auto& part = json.at("implementations").at(0);
  EXPECT_EQ(part.at("implementation"), "stencil5/tile");
  EXPECT_EQ(part.at("combinations"), 320);
  EXPECT_EQ(part.at("legal"), 216);
  const auto& compile = part.at("compile");
  EXPECT_EQ(compile.at("compiled"), 3) << "from the cache or not";
}

TEST(StencilExample, HasDefinesForACompiler) {
  const TemporaryFolder home;
  const Finished finished = run_tilewright(
      home.path(), {"best", kManifest, "edge=cold", "--format", "defines", "--require", "any"});
  EXPECT_EQ(finished.status, 0);
  EXPECT_EQ(finished.out,
            "-DBLOCK_X=32 -DBLOCK_Y=8 -DEDGE_COLD=0 -DEDGE_COPY=1 -DPADDING=0 -DPROBLEM_EDGE=0 "
            "-DROWS=1 -DSTAGING=0 -DSTAGING_DIRECT=0 -DSTAGING_SHARED=1\n");
}

const std::string kKernelTuner =
    TILEWRIGHT_SOURCE_DIR "/examples/kernel_tuner_convolution/kernel_tuner_convolution.toml";

// 3 145 728 combinations and 1 867 776 legal ones, over 16 × 16 filters; the device then rules out
// what needs too much shared memory.
TEST(KernelTunerExample, HasTheSpaceOfItsModel) {
  if (const std::string why = why_no_compiler(); !why.empty()) GTEST_SKIP() << why;
  const TemporaryFolder home;
  const Finished finished = run_tilewright(
      home.path(),
      {"plan", kKernelTuner, "filter_width=3", "--compile", "0", "--arch", "sm_90", "--json"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  const auto json = nlohmann::json::parse(finished.out);
  const auto& part = json.at("implementations").at(0);
  EXPECT_EQ(part.at("combinations"), 3145728 / 256);
  std::int64_t by_restrictions = 0;
  for (const auto& cut : part.at("cuts"))
    if (cut.at("rule") != "shared_memory") by_restrictions += cut.at("count").get<std::int64_t>();
  EXPECT_EQ(part.at("combinations").get<std::int64_t>() - by_restrictions, 1867776 / 256);
}

// Every path through the source, ragged and tiny problems included.
TEST(KernelTunerExample, IsRightOnTheHost) {
  const TemporaryFolder home;
  const Finished finished = run_tilewright(
      home.path(),
      {"sweep", kKernelTuner, "width=100", "height=40", "filter_width=5", "filter_height=3",
       "--device", "host", "--json", "--where",
       "(block_size_x == 16 || block_size_x == 32) && block_size_y == 4 && tile_size_x % 2 == 1 && "
       "tile_size_x < 4 && tile_size_y == 2"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  const auto outcomes = nlohmann::json::parse(finished.out).at("report").at("outcomes");
  // __ldg is an ordinary load there, so with and without it the code is the same; but sanitizers
  // put their positions in the source into it.
  EXPECT_EQ(outcomes.value("measured", 0) + outcomes.value("duplicate", 0), 12) << outcomes;
  EXPECT_GE(outcomes.value("measured", 0), 6) << outcomes;
}

}  // namespace
}  // namespace tilewright::test
