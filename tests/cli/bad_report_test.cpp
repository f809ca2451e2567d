#include <gtest/gtest.h>

#include "tests/cli/run_program.hpp"
#include "tests/cli/sample_store.hpp"

namespace tilewright::test {
namespace {

namespace fs = std::filesystem;

// Runs `report` with further words, and expects it to say `part` and to write nothing.
class BadReport : public ::testing::Test {
 protected:
  void SetUp() override { add_sample_sweep(database_in(home_.path())); }

  void expect_refused(const std::vector<std::string>& words, int status, const std::string& part,
                      const std::vector<std::string>& environment = {}) const {
    std::vector<std::string> all = {"report"};
    all.insert(all.end(), words.begin(), words.end());
    const Finished done = run_tilewright(home_.path(), all, environment);
    EXPECT_EQ(done.status, status) << done.err;
    EXPECT_NE(done.err.find(part), std::string::npos) << done.err;
    EXPECT_FALSE(fs::exists(page_));
  }

  TemporaryFolder home_;
  std::string page_ = home_ / "report.html";
};

TEST_F(BadReport, WithoutTheChartsNamesTheSetUp) {
  expect_refused({"-o", page_}, 3, "run tools/setup.sh, or link to it in the page with --link",
                 {"TILEWRIGHT_PLOTLY=" + (home_ / "missing.js").string()});
}

TEST_F(BadReport, NeedsAFileToWrite) {
  expect_refused({"--link"}, 2, "-o FILE.html");
  expect_refused({"--link", "-o", home_ / "no such folder/report.html"}, 3, "no such folder");
}

TEST_F(BadReport, OfNothingIsNotWritten) {
  expect_refused({"conv1d", "--link", "-o", page_}, 1, "no stored sweep matches");
  expect_refused({"--db", home_ / "missing.db", "--link", "-o", page_}, 1, "there is no database");
  expect_refused({"--sweep", "zzzz", "--link", "-o", page_}, 2, "--sweep 'zzzz'");
  expect_refused({"conv", "--link", "-o", page_}, 2, "no operation 'conv'; did you mean");
  expect_refused({"gemm/tile", "--link", "-o", page_}, 2, "did you mean 'tiled'?");
}

TEST_F(BadReport, ReadsExportsLikeImport) {
  const std::string file = home_ / "bad.json";
  expect_refused({"--from", file, "--link", "-o", page_}, 2, "bad.json");
  for (const char* text : {"", "{}", R"({"tilewright": 1})", R"({"format": "tilewright")",
                           R"({"format": "tilewright", "version": 2, "sweeps": [{}]})"}) {
    write_text(file, text);
    expect_refused({"--from", file, "--link", "-o", page_}, 2, "bad.json");
  }
  expect_refused({"--from", file, "--db", file, "--link", "-o", page_}, 2, "--from and --db");
  for (const char* name : {"z_inf_unfinished.json", "z_median0.json", "started_max.json"})
    expect_refused({"--from", std::string(TILEWRIGHT_SOURCE_DIR) + "/tests/attack/" + name,
                    "--link", "-o", page_},
                   2, name);
}

}  // namespace
}  // namespace tilewright::test
