#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>
#include <sstream>

#include "tests/cli/run_program.hpp"

namespace tilewright::test {
namespace {

// The names that `tilewright --help` lists, one at the start of each indented line before the last
// paragraphs, and two blanks after it.
std::set<std::string> listed_commands(const std::string& help) {
  std::istringstream lines(help.substr(0, help.find("example:")));
  std::set<std::string> names;
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("  ")) names.insert(line.substr(2, line.find("  ", 2) - 2));
  return names;
}

// Each is a file in tools/commands.
std::set<std::string> all_commands() {
  std::set<std::string> names;
  for (const auto& file :
       std::filesystem::directory_iterator(TILEWRIGHT_SOURCE_DIR "/tools/commands")) {
    std::string name = file.path().stem();
    std::ranges::replace(name, '_', ' ');
    if (file.path().extension() == ".cpp") names.insert(name);
  }
  return names;
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream words(text);
  return {std::istream_iterator<std::string>(words), {}};
}

TEST(Help, ListsEveryCommand) {
  const TemporaryFolder home;
  for (const std::vector<std::string>& words : {std::vector<std::string>{}, {"--help"}}) {
    const Finished help = run_tilewright(home.path(), words);
    EXPECT_EQ(help.status, 0);
    EXPECT_EQ(listed_commands(help.out), all_commands()) << help.out;
  }
}

TEST(Help, IsOfAllCommandsOfAJob) {
  const TemporaryFolder home;
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"job"}, {"job", "--help"}, {"help", "job"}}) {
    const Finished help = run_tilewright(home.path(), words);
    EXPECT_EQ(help.status, 0) << help.err;
    EXPECT_EQ(listed_commands(help.out),
              (std::set<std::string>{"job create", "job run", "job merge"}))
        << help.out;
  }
}

TEST(Help, OldWordsNameTheirSuccessors) {
  const TemporaryFolder home;
  for (const auto& [line, now] :
       {std::pair("plan gemm --shapes x --job y", "`tilewright job create FOLDER`"),
        std::pair("sweep --job=y", "`tilewright job run FOLDER`"),
        std::pair("convert a.json", "`python -m tilewright.convert`"),
        std::pair("manual sweep", "/share/man/man1"),
        std::pair("completion bash", "/share: bash-completion/completions/tilewright")}) {
    const Finished old = run_tilewright(home.path(), words_of(line));
    EXPECT_EQ(old.status, 2) << line;
    EXPECT_NE(old.err.find(now), std::string::npos) << old.err;
  }
}

TEST(CommandHelp, HasUsageAndAnExampleOfItself) {
  const TemporaryFolder home;
  for (const std::string& name : all_commands()) {
    SCOPED_TRACE(name);
    std::vector<std::string> words = words_of(name);
    words.emplace_back("--help");
    const Finished help = run_tilewright(home.path(), words);
    EXPECT_EQ(help.status, 0);
    EXPECT_EQ(help.err, "");
    const std::size_t example = help.out.find("example:");
    ASSERT_NE(example, std::string::npos) << help.out;
    EXPECT_NE(help.out.find("tilewright " + name, example), std::string::npos);
    EXPECT_NE(help.out.find("usage:"), std::string::npos);
    words.pop_back();
    words.insert(words.begin(), "help");
    EXPECT_EQ(run_tilewright(home.path(), words).out, help.out);
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

// A screen for an operation; --verbose has the rest.
TEST(Kernels, AreBriefUnlessAskedForMore) {
  const TemporaryFolder home;
  const Finished brief = run_tilewright(home.path(), {"kernels", "gemm"});
  EXPECT_LE(std::ranges::count(brief.out, '\n'), 40) << brief.out;
  for (const char* part : {"  M = 1024  (1 to 1073741824)  rows of op(A) and C\n",
                           "  transpose_a = no  (no yes)  yes: A", "gemm/wgmma", "scale_clamp",
                           "`tilewright kernels gemm/blocked`"})
    EXPECT_NE(brief.out.find(part), std::string::npos) << part << brief.out;
  EXPECT_EQ(brief.out.find("BLOCK_M"), std::string::npos) << brief.out;
  const Finished full = run_tilewright(home.path(), {"kernels", "gemm", "--verbose"});
  for (const char* part : {"BLOCK_M = 64  (32 64 128 256)\n      rows of C", "constraint\n",
                           "BLOCK_M % (32 / LANES_N * THREAD_M) == 0"})
    EXPECT_NE(full.out.find(part), std::string::npos) << part;
}

}  // namespace
}  // namespace tilewright::test
