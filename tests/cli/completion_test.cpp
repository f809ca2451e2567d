#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>

#include "tests/cli/run_program.hpp"
#include "tests/cli/sample_store.hpp"

namespace tilewright::test {
namespace {

bool is_here(const std::string& program) {
  return std::system(("command -v " + program + " > /dev/null 2>&1").c_str()) == 0;
}

bool has_line(const std::string& text, const std::string& line) {
  return ('\n' + text).find('\n' + line + '\n') != std::string::npos;
}

// Where the build has written manual pages and scripts.
std::filesystem::path texts() {
  return TILEWRIGHT_BINARY_DIR "/share";
}

class Completion : public testing::Test {
 protected:
  // What follows `tilewright` when the words are given, without what is said about it.
  std::string after(std::vector<std::string> words) const {
    words.insert(words.begin(), "--candidates");
    const Finished asked = run_tilewright(home_.path(), words);
    EXPECT_EQ(asked.status, 0) << asked.err;
    EXPECT_EQ(asked.err, "");
    std::istringstream lines(asked.out);
    std::string texts;
    for (std::string line; std::getline(lines, line);)
      texts += line.substr(0, line.find('\t')) + '\n';
    return texts;
  }
  // What a shell's script prints that has the program as $1 and the completion as $2.
  std::string in_shell(std::vector<std::string> shell, const std::string& file) const {
    const std::string script = content_of(texts() / file);
    const Finished ran = run_tilewright_within(home_.path(), shell, {script});
    EXPECT_EQ(ran.status, 0) << ran.err;
    EXPECT_EQ(ran.err, "");
    return ran.out;
  }

  TemporaryFolder home_;
};

TEST_F(Completion, KnowsSubcommandsAndOptions) {
  EXPECT_EQ(after({"swe"}), "sweep\n");
  EXPECT_EQ(after({"help", "swe"}), "sweep\n");
  EXPECT_TRUE(has_line(after({""}), "best"));
  EXPECT_EQ(after({"sweep", "gemm", "--pol"}), "--policy\n");
  EXPECT_EQ(after({"sweep", "--policy", ""}), "robust\ncold\nwarm\n");
  EXPECT_EQ(after({"sweep", "--priors", "s"}), "stored\n");
  EXPECT_EQ(after({"jo"}), "job\n");
  EXPECT_EQ(after({"job", ""}), "create\nrun\nmerge\n");
  EXPECT_EQ(after({"job", "create", "folder", "--sha"}), "--shapes\n");
}

TEST_F(Completion, LeavesFilesToTheShell) {
  EXPECT_EQ(after({"sweep", "--db", ""}), "");
  EXPECT_EQ(after({"sweep", "my"}), "");
  EXPECT_EQ(after({"job", "run", ""}), "");
  EXPECT_EQ(after({"unknown", ""}), "");
}

TEST_F(Completion, KnowsKernelsAndProblems) {
  EXPECT_EQ(after({"sweep", "gemm/t"}), "gemm/thin\ngemm/tiled\n");
  const std::string problem = after({"best", "gemm/tiled", "M=64", ""});
  EXPECT_TRUE(has_line(problem, "N=")) << problem;
  EXPECT_TRUE(has_line(problem, "transpose_a=yes")) << problem;
  EXPECT_FALSE(has_line(problem, "M=")) << problem;
}

TEST_F(Completion, KnowsTheProblemOfAManifest) {
  const std::string file = TILEWRIGHT_SOURCE_DIR "/examples/rms_norm/rms_norm.toml";
  EXPECT_EQ(after({"sweep", file, "rows=4", ""}), "columns=\n");
  EXPECT_EQ(after({"sweep", file + "/row_per_block", "c"}), "columns=\n");
  EXPECT_TRUE(has_line(after({"sweep", "/absent.toml", ""}), "gemm"));
}

// What a manifest says must not become a candidate of its own.
TEST_F(Completion, SaysOneLineAboutEachCandidate) {
  std::string text = content_of(TILEWRIGHT_SOURCE_DIR "/examples/rms_norm/rms_norm.toml");
  const std::string rows = "name = \"rows\"\n";
  text.insert(text.find(rows) + rows.size(), "about = \"x\\nevil=1\\tz\\u001b[2J\"\n");
  for (const char* name : {"rms_norm.cu", "rms_norm_reference.cu"})
    write_text(home_ / name,
               content_of(std::string(TILEWRIGHT_SOURCE_DIR "/examples/rms_norm/") + name));
  write_text(home_ / "evil.toml", text);
  const Finished asked =
      run_tilewright(home_.path(), {"--candidates", "sweep", home_ / "evil.toml", ""});
  EXPECT_EQ(asked.status, 0) << asked.err;
  EXPECT_TRUE(asked.out.starts_with("rows=\tx\\x0aevil=1\\x09z\\x1b[2J\n")) << asked.out;
  EXPECT_EQ(after({"sweep", home_ / "evil.toml", ""}), "rows=\ncolumns=\n");
}

TEST_F(Completion, KnowsDevicesAndWhatIsStored) {
  EXPECT_TRUE(has_line(after({"sweep", "--device", ""}), "host"));
  EXPECT_EQ(after({"results", "--sweep", ""}), "");
  const std::string sweep = add_sample_sweep(database_in(home_.path())).substr(0, 8);
  EXPECT_EQ(after({"results", "--sweep", ""}), sweep + '\n');
  EXPECT_EQ(after({"results", "--sweep", sweep.substr(0, 3)}), sweep + '\n');
  EXPECT_EQ(after({"results", "--sweep", "x"}), "");
  EXPECT_EQ(after({"results", "--db", "/absent.db", "--sweep", ""}), "");

  for (const char* name : {"rms_norm.toml", "rms_norm.cu", "rms_norm_reference.cu"})
    write_text(home_ / name,
               content_of(std::string(TILEWRIGHT_SOURCE_DIR "/examples/rms_norm/") + name));
  EXPECT_EQ(after({"best", "rms"}), "");
  ASSERT_EQ(run_tilewright(home_.path(),
                           {"sweep", home_ / "rms_norm.toml", "--device", "host", "--budget", "1"})
                .status,
            0);
  EXPECT_EQ(after({"best", "rms"}), "rms_norm\nrms_norm/row_per_block\n");
  EXPECT_EQ(after({"best", "rms_norm", "r"}), "rows=\n");
}

TEST_F(Completion, WorksInBash) {
  if (!is_here("bash")) GTEST_SKIP() << "there is no bash";
  const std::string script = R"sh(
eval "$2"
try() { COMP_LINE="$program $1" COMP_POINT=1000; _tilewright; echo "${COMPREPLY[*]}"; }
program=$1
try swe; try "sweep gemm/t"; try "sweep gemm transpose_a=y"; try "best gemm M=6 acc"; try "sweep --db "
complete -p tilewright)sh";
  EXPECT_EQ(in_shell({"bash", "-c", script, "bash"}, "bash-completion/completions/tilewright"),
            "sweep\ngemm/thin gemm/tiled\nyes\naccumulate=no accumulate=yes\n\n"
            "complete -o default -F _tilewright tilewright\n");
}

TEST_F(Completion, WorksInZsh) {
  if (!is_here("zsh")) GTEST_SKIP() << "there is no zsh";
  // The functions of zsh that only work while somebody types print what they are given.
  const std::string script = R"sh(
compdef() { : }
_files() { echo files }
_describe() { local all=("${(@P)3}"); echo "$3: $all[1] $4" }
eval "$2"
try() { words=("$@") CURRENT=$#words _tilewright; }
try $1 swe; try $1 best gemm M; try $1 sweep --db '')sh";
  const std::string printed =
      in_shell({"zsh", "-f", "-c", script, "zsh"}, "zsh/site-functions/_tilewright");
  EXPECT_TRUE(printed.starts_with("finished: sweep:Measure configurations")) << printed;
  EXPECT_NE(printed.find("unfinished: M=:"), std::string::npos) << printed;
  EXPECT_TRUE(printed.ends_with("files\n")) << printed;
}

TEST_F(Completion, WorksInFish) {
  if (!is_here("fish")) GTEST_SKIP() << "there is no fish";
  const std::string script = R"sh(
echo $argv[2] | source
for line in swe "sweep gemm/t" "sweep --policy w"
    complete -C "$argv[1] $line" | string split --fields 1 \t; or true
end)sh";
  EXPECT_EQ(
      in_shell({"fish", "--no-config", "-c", script}, "fish/vendor_completions.d/tilewright.fish"),
      "sweep\ngemm/thin\ngemm/tiled\nwarm\n");
}

TEST(Manual, HasTheTextsOfTheHelp) {
  const std::string all = content_of(texts() / "man/man1/tilewright.1");
  EXPECT_NE(all.find(".TH \"tilewright\" 1"), std::string::npos) << all;
  EXPECT_NE(all.find("tilewright\\-job\\-create"), std::string::npos) << all;
  const std::string sweep = content_of(texts() / "man/man1/tilewright-sweep.1");
  for (const char* part : {"\\fB\\-\\-policy\\fR \\fIrobust|cold|warm\\fR", ".SH EXAMPLES"})
    EXPECT_NE(sweep.find(part), std::string::npos) << part;
}

TEST(Manual, OfEveryCommandIsRight) {
  if (!is_here("mandoc")) GTEST_SKIP() << "there is no mandoc";
  const TemporaryFolder home;
  int pages = 0;
  for (const auto& page : std::filesystem::directory_iterator(texts() / "man/man1")) {
    const std::string check = "mandoc -T lint -W warning " + page.path().string() +
                              " | grep -v 'missing date' > " + (home / "complaints").string();
    std::system(check.c_str());
    EXPECT_EQ(content_of(home / "complaints"), "") << page.path();
    ++pages;
  }
  EXPECT_GT(pages, 20);
}

}  // namespace
}  // namespace tilewright::test
