// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/run_program.hpp"

namespace tilewright::testing {
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
  EXPECT_EQ(part.at("compile").at("compiled"), 3);
}

TEST(StencilExample, HasDefinesForACompiler) {
  const TemporaryFolder home;
  const Finished finished =
      run_tilewright(home.path(), {"best", kManifest, "edge=cold", "--format", "defines"});
  EXPECT_EQ(finished.status, 0);
  EXPECT_EQ(finished.out,
            "-DBLOCK_X=32 -DBLOCK_Y=8 -DEDGE_COLD=0 -DEDGE_COPY=1 -DPADDING=0 -DPROBLEM_EDGE=0 "
            "-DROWS=1 -DSTAGING=0 -DSTAGING_DIRECT=0 -DSTAGING_SHARED=1\n");
}

}  // namespace
}  // namespace tilewright::testing
