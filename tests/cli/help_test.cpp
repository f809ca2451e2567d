#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <sstream>

#include "tests/cli/run_program.hpp"

namespace tilewright::test {
namespace {

// The names that `tilewright --help` lists, one at the start of each line after the usage.
std::set<std::string> listed_subcommands(const std::string& help) {
  const std::size_t start = help.find("\n\n", help.find("usage:")) + 2;
  std::istringstream lines(help.substr(start, help.find("\n\n", start) - start));
  std::set<std::string> names;
  for (std::string line, name; std::getline(lines, line);) {
    std::istringstream(line) >> name;
    names.insert(name);
  }
  return names;
}

// Each is a file in tools/commands.
std::set<std::string> all_subcommands() {
  std::set<std::string> names;
  for (const auto& file :
       std::filesystem::directory_iterator(TILEWRIGHT_SOURCE_DIR "/tools/commands"))
    if (file.path().extension() == ".cpp") names.insert(file.path().stem());
  return names;
}

TEST(Help, ListsEverySubcommand) {
  const TemporaryFolder home;
  for (const std::vector<std::string>& words : {std::vector<std::string>{}, {"--help"}}) {
    const Finished help = run_tilewright(home.path(), words);
    EXPECT_EQ(help.status, 0);
    EXPECT_EQ(listed_subcommands(help.out), all_subcommands()) << help.out;
  }
}

TEST(SubcommandHelp, HasUsageAndAnExampleOfItself) {
  const TemporaryFolder home;
  for (const std::string& name : all_subcommands()) {
    SCOPED_TRACE(name);
    const Finished help = run_tilewright(home.path(), {name, "--help"});
    EXPECT_EQ(help.status, 0);
    EXPECT_EQ(help.err, "");
    const std::size_t example = help.out.find("example:");
    ASSERT_NE(example, std::string::npos) << help.out;
    EXPECT_NE(help.out.find("tilewright " + name, example), std::string::npos);
    EXPECT_NE(help.out.find("usage:"), std::string::npos);
    EXPECT_EQ(run_tilewright(home.path(), {"help", name}).out, help.out);
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
}  // namespace tilewright::test
