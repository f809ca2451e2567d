#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "db/store/store.hpp"
#include "tests/cli/run_program.hpp"
#include "tests/cli/sample_store.hpp"

namespace tilewright::test {
namespace {

namespace fs = std::filesystem;

const std::string kForgedExports = TILEWRIGHT_SOURCE_DIR "/tests/attack/";

// Exports with numbers that no measurement gives.
class BadInputNumbers : public ::testing::Test {
 protected:
  using Words = std::vector<std::string>;
  Finished run(const Words& words) const { return run_tilewright(home_.path(), words); }

  // Status 2, one sentence with each part, and no database.
  void expect_refused(const Words& words, const Words& parts) const {
    const Finished finished = run(words);
    EXPECT_EQ(finished.status, 2) << finished.err;
    EXPECT_EQ(finished.out, "");
    EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1) << finished.err;
    for (const std::string& part : parts)
      EXPECT_NE(finished.err.find(part), std::string::npos) << part << "\n" << finished.err;
    EXPECT_FALSE(fs::exists(database_in(home_.path())));
  }

  TemporaryFolder home_;
};

TEST_F(BadInputNumbers, AreRefusedByImport) {
  const auto refuse = [&](const std::string& name, const Words& parts) {
    const std::string file = kForgedExports + name;
    Words all = {file};
    all.insert(all.end(), parts.begin(), parts.end());
    expect_refused({"import", file}, all);
    expect_refused({"merge", file, "--into", database_in(home_.path())}, all);
  };
  refuse("z_median0.json", {"sweep 1", "trial 1", "'median_us' is 0"});
  refuse("z_inf_unfinished.json", {"sweep 1", "'samples_us' is inf"});
  refuse("started_max.json", {"sweep 1", "'started' is 9223372036854775807"});
  refuse("kmax.json", {"sweep 1", "'K' is 4611686018427387904"});
}

// The operation is known, so its dimensions say what is accepted.
TEST_F(BadInputNumbers, ProblemsThatTheOperationDoesNotAllowAreRefusedByImport) {
  add_sample_sweep(home_ / "good.db");
  const std::string file = home_ / "good.json";
  ASSERT_EQ(run({"export", "--db", home_ / "good.db", "--output", file}).status, 0);
  const auto with = [&](const auto& change) {
    auto document = nlohmann::json::parse(content_of(file));
    change(document["sweeps"][0]["key"]["problem"]["values"]);
    write_text(home_ / "forged.json", document.dump());
    return home_ / "forged.json";
  };
  const auto refuse = [&](const auto& change, const std::string& part) {
    const std::string forged = with(change);
    expect_refused({"import", forged}, {forged, "sweep ", part});
  };
  refuse([](auto& values) { values["K"] = -1; }, "gemm: K=-1 is outside 1 to 1073741824");
  refuse([](auto& values) { values["batch"] = 65536; }, "gemm: batch=65536 is outside 1 to 65535");
  refuse([](auto& values) { values.erase("K"); }, "has no 'K'");
  refuse([](auto& values) { values.erase("epilogue"); }, "has no 'epilogue'");
  refuse([](auto& values) { values["depth"] = 1; }, "no dimension or choice 'depth'");
  refuse([](auto& values) { values["lda"] = 1; }, "gemm: lda=1 is outside 512 to");
  refuse([](auto& values) { values["transpose_a"] = "perhaps"; }, "is none of no, yes");
  EXPECT_EQ(run({"import", file}).status, 0);
}

// Rows that earlier versions have stored.
class StoredBadNumbers : public BadInputNumbers {
 protected:
  void SetUp() override { uuid_ = add_sample_sweep(file_); }
  void forge(const std::string& change) const {
    Database(file_, Database::Mode::read_write, std::chrono::milliseconds(1000))
        .execute("DROP TRIGGER IF EXISTS trial_is_append_only; " + change);
  }
  // The command ends with one of these statuses, with a warning that says this.
  void expect_warned(Words words, int status, const std::string& what) const {
    const std::string name = words.front();
    words.insert(words.end(), {"--db", file_});
    const Finished finished = run(words);
    EXPECT_EQ(finished.status, status) << name << ": " << finished.err;
    const std::size_t warning = finished.err.find("tilewright: warning: ");
    ASSERT_NE(warning, std::string::npos) << name << ": " << finished.err;
    EXPECT_NE(finished.err.find(what, warning), std::string::npos) << name << ": " << finished.err;
  }

  const fs::path file_ = home_ / "old.db";
  std::string uuid_;
};

TEST_F(StoredBadNumbers, OfSweepsAreLeftOutWithAWarning) {
  forge("UPDATE sweep SET started = 9223372036854775807, finished = 9223372036854775807");
  const std::string what = "is 9223372036854775807, not a moment from 0";
  expect_warned({"results", "gemm"}, 1, what);
  expect_warned({"export"}, 1, what);
  expect_warned({"best", "gemm", "M=N=K=512", "--device", "test 9000"}, 2, what);  // no such device
}

TEST_F(StoredBadNumbers, OfTrialsAreLeftOutWithAWarningButNotMerged) {
  forge("UPDATE trial SET median_us = 0 WHERE stage = 'final'");
  expect_warned({"results", "--sweep", uuid_}, 0, "'median_us' is 0");
  expect_warned({"export"}, 0, "'median_us' is 0");
  const Finished refused = run({"merge", file_, "--into", database_in(home_.path())});
  EXPECT_EQ(refused.status, 2) << refused.err;
  EXPECT_NE(refused.err.find("'median_us' is 0"), std::string::npos) << refused.err;
  EXPECT_FALSE(fs::exists(database_in(home_.path())));
}

TEST_F(StoredBadNumbers, TextThatIsNotUtf8IsShown) {
  forge(
      "UPDATE device SET name = CAST(x'41ff42' AS TEXT); "
      "UPDATE sweep SET report = CAST(x'7b22ff227d' AS TEXT)");
  for (const Words& words : std::vector<Words>{{"results"},
                                               {"results", "--json"},
                                               {"export"},
                                               {"export", "--format", "csv"},
                                               {"export", "--format", "header"},
                                               {"best", "gemm", "M=N=K=512", "--format", "json"}}) {
    Words all = words;
    all.insert(all.end(), {"--db", file_});
    const Finished finished = run(all);
    EXPECT_EQ(finished.status, 0) << words.back() << ": " << finished.err;
  }
}

// K = 2^62 of an older import made every later sweep of the operation end with status 2.
TEST_F(StoredBadNumbers, AreNoPriorsOfASweep) {
  if (!why_no_compiler().empty()) GTEST_SKIP() << why_no_compiler();
  const auto sweep = [](const std::string& size) {
    return Words{"sweep", "gemm/naive", "M=N=K=" + size, "--device", "host", "--budget", "2"};
  };
  Words first = sweep("31");
  first.insert(first.end(), {"--db", file_});
  ASSERT_EQ(run(first).status, 0);
  const auto set_depth = [&](const std::string& before, const std::string& after) {
    forge("UPDATE problem SET settings = replace(settings, '\"K\":" + before +
          ",', '\"K\":" + after + ",')");
  };
  set_depth("31", "1073741825");  // one more than the operation allows
  expect_warned(sweep("32"), 0, "is no prior: gemm: K=1073741825 is outside 1 to 1073741824");
  set_depth("1073741825", "4611686018427387904");  // more than any operation may
  expect_warned(sweep("33"), 0, "'K' is 4611686018427387904");
}

}  // namespace
}  // namespace tilewright::test
