// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "tests/cli/run_program.hpp"

namespace tilewright::testing {
namespace {

class SubcommandHelp : public ::testing::TestWithParam<const char*> {};

TEST_P(SubcommandHelp, HasUsageAndAnExampleOfItself) {
  const TemporaryFolder home;
  const Finished help = run_tilewright(home.path(), {GetParam(), "--help"});
  EXPECT_EQ(help.status, 0);
  EXPECT_EQ(help.err, "");
  const std::size_t example = help.out.find("example:");
  ASSERT_NE(example, std::string::npos) << help.out;
  EXPECT_NE(help.out.find(std::string("tilewright ") + GetParam(), example), std::string::npos);
  EXPECT_NE(help.out.find("usage:"), std::string::npos);
  EXPECT_EQ(run_tilewright(home.path(), {"help", GetParam()}).out, help.out);
}

INSTANTIATE_TEST_SUITE_P(All, SubcommandHelp,
                         ::testing::Values("devices", "kernels", "plan", "sweep", "best", "results",
                                           "export", "import", "recheck", "show", "portfolio",
                                           "bundle", "merge"));

TEST(Help, ListsEverySubcommand) {
  const TemporaryFolder home;
  for (const std::vector<std::string>& words : {std::vector<std::string>{}, {"--help"}}) {
    const Finished help = run_tilewright(home.path(), words);
    EXPECT_EQ(help.status, 0);
    for (const char* name : {"devices", "kernels", "plan", "sweep", "best", "results", "export",
                             "import", "recheck", "show", "portfolio", "bundle", "merge"})
      EXPECT_NE(help.out.find(std::string("\n  ") + name), std::string::npos) << name;
  }
}

TEST(Help, VersionNamesWhatItUses) {
  const TemporaryFolder home;
  const Finished version = run_tilewright(home.path(), {"--version"});
  EXPECT_EQ(version.status, 0);
  for (const char* part : {"tilewright 0.", "SQLite 3.", "NVRTC", "driver"})
    EXPECT_NE(version.out.find(part), std::string::npos) << version.out;
}

TEST(Help, LeavesNothingBehind) {
  const TemporaryFolder home;
  run_tilewright(home.path(), {"--help"});
  run_tilewright(home.path(), {"kernels"});
  EXPECT_TRUE(is_untouched(home.path()));
}

TEST(Kernels, ListsBuiltInOnesAndExplainsOne) {
  const TemporaryFolder home;
  const Finished all = run_tilewright(home.path(), {"kernels"});
  EXPECT_EQ(all.status, 0);
  for (const char* name : {"gemm/naive", "gemm/tiled", "conv1d/halo"})
    EXPECT_NE(all.out.find(name), std::string::npos) << all.out;
  const Finished one = run_tilewright(home.path(), {"kernels", "gemm/tiled"});
  EXPECT_EQ(one.status, 0);
  EXPECT_NE(one.out.find("TILE_WIDTH"), std::string::npos);
  EXPECT_EQ(one.out.find("gemm/naive"), std::string::npos);
}

}  // namespace
}  // namespace tilewright::testing
