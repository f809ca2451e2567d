// --output never replaces what a command reads.
#include <gtest/gtest.h>

#include "tests/cli/run_program.hpp"
#include "tests/cli/sample_store.hpp"

namespace tilewright::test {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

class Output : public ::testing::Test {
 protected:
  Output() { add_sample_sweep(database_); }

  // Status 2 and one sentence with this part; the file stays as it is.
  void expect_refused(Words words, const fs::path& file, const std::string& part) const {
    const std::string before = content_of(file);
    words.insert(words.end(), {"--output", file});
    const Finished finished = run_tilewright(home_.path(), words);
    EXPECT_EQ(finished.status, 2) << words.front() << ": " << finished.err;
    EXPECT_EQ(finished.out, "");
    EXPECT_NE(finished.err.find("--output '" + file.string() + "' is a " + part), std::string::npos)
        << finished.err;
    EXPECT_EQ(content_of(file), before) << words.front();
  }

  TemporaryFolder home_;
  const std::string database_ = home_ / "some.db";
};

TEST_F(Output, IsNoDatabase) {
  for (const Words& words : {Words{"export"},
                             {"export", "--format", "csv"},
                             {"report", "--link"},
                             {"best", "gemm", "M=N=K=512", "--format", "header"},
                             {"bundle", "gemm", "M=N=K=512", "--arch", "host"},
                             {"show", "gemm/naive", "M=N=K=512"}}) {
    Words line = words;
    line.insert(line.end(), {"--db", database_});
    expect_refused(line, database_, "database");
  }
  const fs::path link = home_ / "link";
  fs::create_symlink(database_, link);
  expect_refused({"export", "--db", database_}, link, "database");
}

TEST_F(Output, IsNotWhatTheCommandReads) {
  const std::string file = home_ / "all.json";
  ASSERT_EQ(run_tilewright(home_.path(), {"export", "--db", database_, "--output", file}).status,
            0);
  const std::string part = "file that this command reads";
  expect_refused({"report", "--from", file, "--link"}, file, part);
  const std::string kernel = TILEWRIGHT_SOURCE_DIR "/tests/definitions/slopes.toml";
  const fs::path copy = home_ / "definitions";
  fs::copy(fs::path(kernel).parent_path(), copy, fs::copy_options::recursive);
  for (const char* name : {"slopes.toml", "slopes.cu", "slopes_reference.cu"}) {
    expect_refused({"show", copy / "slopes.toml"}, copy / name, part);
    expect_refused({"best", copy / "slopes.toml", "--format", "header"}, copy / name, part);
    expect_refused({"bundle", copy / "slopes.toml", "--arch", "host"}, copy / name, part);
  }
  expect_refused({"export", "--format", "header", "--db", database_, "--shipped", file}, file,
                 part);
}

}  // namespace
}  // namespace tilewright::test
