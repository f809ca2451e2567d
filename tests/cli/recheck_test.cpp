#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "db/tables/sqlite.hpp"
#include "tests/cli/run_program.hpp"
#include "tests/cli/sample_store.hpp"
#include "tests/support/stored_confirmations.hpp"

namespace tilewright::test {
namespace {

namespace fs = std::filesystem;

// One small sweep of gemm/naive on the host, from a copy of the templates that tests may change.
class Recheck : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::copy(fs::path(TILEWRIGHT_SOURCE_DIR) / "kernel_templates", kernels_,
             fs::copy_options::recursive);
  }

  Finished run(std::vector<std::string> words) const {
    words.insert(words.end(), {"--kernels", kernels_.string()});
    return run_tilewright(home_.path(), words);
  }

  void sweep() const {
    const Finished finished =
        run({"sweep", "gemm/naive", "M=N=K=32", "--budget", "4", "--device", "host"});
    ASSERT_EQ(finished.status, 0) << finished.err;
  }

  Finished recheck(std::vector<std::string> words) const {
    words.insert(words.begin(), "recheck");
    words.insert(words.end(), {"--json"});
    return run(words);
  }

  // The one result that a recheck printed.
  static nlohmann::json only(const Finished& finished) {
    const auto list = nlohmann::json::parse(finished.out).at("rechecked");
    EXPECT_EQ(list.size(), 1U) << finished.out;
    return list.at(0);
  }

  std::vector<Confirmation> stored() const {
    const std::filesystem::path file = database_in(home_.path());
    return stored_confirmations(file, Store(file, Store::Mode::read_only).best({}).at(0).trial_id);
  }

  // As if everything stored were of another compiler.
  void make_old() const {
    Database database(database_in(home_.path()), Database::Mode::read_write,
                      std::chrono::seconds(30));
    database.execute("UPDATE environment SET compiler = 'c++ of old'");
  }

  fs::path source() const { return kernels_ / "gemm/naive/naive.cu"; }

  void edit(const std::string& from, const std::string& to) const {
    std::string text = content_of(source());
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << text;
    write_text(source(), text.replace(at, from.size(), to));
  }

  TemporaryFolder home_;
  fs::path kernels_ = home_ / "kernels";
};

TEST_F(Recheck, MeasuresAgainAndKeepsAVerdict) {
  sweep();
  const Finished finished = recheck({"gemm", "--device", "host"});
  ASSERT_FALSE(finished.out.empty()) << finished.err;
  const auto result = only(finished);
  // How fast the machine is now is its own affair.
  const std::string verdict = result.at("verdict");
  EXPECT_TRUE(verdict == "holds" || verdict == "moved") << result;
  EXPECT_EQ(finished.status, verdict == "holds" ? 0 : 1);
  EXPECT_EQ(result.at("implementation"), "gemm/naive");
  EXPECT_EQ(result.at("code_hash"), result.at("stored_code_hash"));
  EXPECT_GT(result.at("stored").at("median_us"), 0);
  EXPECT_GT(result.at("now").at("median_us"), 0);
  EXPECT_LE(result.at("now").at("interval_low_us"), result.at("now").at("median_us"));
  EXPECT_EQ(result.at("runner_up").at("outcome"), "measured");
  EXPECT_EQ(result.at("was_stale"), false);

  const auto rows = stored();
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(to_text(rows[0].verdict), verdict);
  ASSERT_TRUE(rows[0].time);
  EXPECT_EQ(result.at("now").at("median_us"), rows[0].time->median_us);

  // As if the winner alone had been far faster, to the last round that a final may have.
  set_times(database_in(home_.path()), "id IN (SELECT trial FROM best)",
            std::vector<double>(30, 0.01));
  const auto moved = only(recheck({"gemm", "--device", "host"}));
  EXPECT_EQ(moved.at("verdict"), "moved");
  EXPECT_NE(std::string(moved.at("message")).find("x slower than stored"), std::string::npos)
      << moved;
}

TEST_F(Recheck, OfCodeAloneConfirmsAndBestShowsIt) {
  sweep();
  const Finished finished = recheck({"--compile-only", "--cache", (home_ / "other").string()});
  EXPECT_EQ(finished.status, 0) << finished.err;
  EXPECT_EQ(only(finished).at("verdict"), "same_code") << finished.out;
  ASSERT_EQ(stored().size(), 1U);
  EXPECT_FALSE(stored()[0].time);
  const Finished best = run({"best", "gemm/naive", "M=N=K=32", "--device", "host"});
  EXPECT_NE(best.out.find("confirmed just now, measured"), std::string::npos) << best.out;
  const auto json = nlohmann::json::parse(
      run({"best", "gemm/naive", "M=N=K=32", "--device", "host", "--format", "json"}).out);
  EXPECT_EQ(json.at("result").at("confirmed"), stored()[0].at);
  EXPECT_EQ(json.at("result").at("stale"), false);
}

TEST_F(Recheck, PrintsATableForPeople) {
  sweep();
  const Finished finished = run({"recheck", "--compile-only"});
  EXPECT_EQ(finished.status, 0) << finished.err;
  for (const char* part : {"gemm/naive", "M=N=K=32", "  warm  ", "same_code", "verdict"})
    EXPECT_NE(finished.out.find(part), std::string::npos) << part << " in\n" << finished.out;
}

TEST_F(Recheck, FindsChangedCodeAndWrongAnswers) {
  sweep();
  edit("sum += ", "sum -= ");
  const Finished compiled = recheck({"--compile-only"});
  EXPECT_EQ(compiled.status, 1) << compiled.err;
  EXPECT_EQ(only(compiled).at("verdict"), "code_changed");
  const Finished measured = recheck({"--device", "host"});
  EXPECT_EQ(measured.status, 1) << measured.err;
  const auto result = only(measured);
  EXPECT_EQ(result.at("verdict"), "failed");
  EXPECT_EQ(std::string(result.at("message")).find("wrong_answer"), 0U) << result;
  EXPECT_FALSE(result.contains("now"));
  EXPECT_EQ(stored().size(), 2U);
  const auto best = nlohmann::json::parse(
      run({"best", "gemm/naive", "M=N=K=32", "--device", "host", "--format", "json"}).out);
  EXPECT_FALSE(best.at("result").contains("confirmed"));
}

TEST_F(Recheck, CodeThatNoLongerCompilesFailsWithTheLog) {
  sweep();
  edit("sum += ", "nonsense += ");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--compile-only"}, {"--device", "host"}}) {
    const Finished finished = recheck(words);
    EXPECT_EQ(finished.status, 1) << finished.err;
    EXPECT_EQ(only(finished).at("verdict"), "failed");
    EXPECT_NE(std::string(only(finished).at("message")).find("nonsense"), std::string::npos);
  }
}

TEST_F(Recheck, AMissingDefinitionFails) {
  sweep();
  fs::remove_all(kernels_ / "gemm/naive");
  const Finished missing = recheck({"--device", "host"});
  EXPECT_EQ(missing.status, 1) << missing.err;
  EXPECT_EQ(only(missing).at("verdict"), "failed");
  EXPECT_NE(std::string(only(missing).at("message")).find("not defined"), std::string::npos);
}

TEST_F(Recheck, RenewsWhatOtherSoftwareMeasured) {
  sweep();
  make_old();
  const std::vector<std::string> best = {"best", "gemm/naive", "M=N=K=32", "--device", "host"};
  EXPECT_NE(run(best).out.find("stale"), std::string::npos) << run(best).out;
  const Finished finished = recheck({"--compile-only"});
  EXPECT_EQ(finished.status, 0) << finished.out;
  EXPECT_EQ(only(finished).at("was_stale"), true);
  EXPECT_EQ(run(best).out.find("stale"), std::string::npos) << run(best).out;
  EXPECT_EQ(only(recheck({"--compile-only"})).at("was_stale"), false);
}

TEST_F(Recheck, TakesStaleResultsFirst) {
  sweep();
  make_old();
  // Before 32 in the order of problems, so that only its age puts it behind.
  ASSERT_EQ(run({"sweep", "gemm/naive", "M=N=K=16", "--budget", "2", "--device", "host"}).status,
            0);
  const auto list =
      nlohmann::json::parse(recheck({"--compile-only", "--jobs", "1"}).out).at("rechecked");
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list.at(0).at("problem").at("M"), 32);
  EXPECT_EQ(list.at(1).at("problem").at("M"), 16);
}

TEST_F(Recheck, AnEmptyFileStaysEmpty) {
  write_text(home_ / "empty.db", "");
  const Finished finished =
      run_tilewright(home_.path(), {"recheck", "--compile-only", "--db", home_ / "empty.db"});
  EXPECT_EQ(finished.status, 3);
  EXPECT_NE(finished.err.find("empty.db' is empty"), std::string::npos) << finished.err;
  EXPECT_EQ(content_of(home_ / "empty.db"), "");
}

TEST_F(Recheck, NothingThatMatchesIsStatusOne) {
  const Finished without = recheck({});
  EXPECT_EQ(without.status, 1);
  EXPECT_NE(without.err.find("no database"), std::string::npos) << without.err;
  EXPECT_FALSE(fs::exists(database_in(home_.path())));
  sweep();
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"conv1d"}, {"gemm", "M=33"}, {"gemm/tiled"}}) {
    std::vector<std::string> compile_only = words;
    compile_only.emplace_back("--compile-only");
    const Finished finished = recheck(compile_only);
    EXPECT_EQ(finished.status, 1) << words[0];
    EXPECT_NE(finished.err.find("no stored result matches"), std::string::npos) << finished.err;
  }
  EXPECT_EQ(recheck({"gemm", "M=32", "--compile-only"}).status, 0);
  EXPECT_TRUE(recheck({"--compile-only", "--device", "no such"}).status == 1);
}

TEST_F(Recheck, BadInputIsStatusTwo) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"gem"}, {"gemm/nave"}, {"gemm", "Q=1"}, {"gemm", "M=x"}}) {
    const Finished finished = recheck(words);
    EXPECT_EQ(finished.status, 2) << words[0] << finished.err;
    EXPECT_EQ(finished.out, "");
  }
}

TEST_F(Recheck, OfAGpuThatIsNotHereCompilesForItsArchitecture) {
  if (const std::string why = why_no_compiler(); !why.empty()) GTEST_SKIP() << why;
  add_sample_sweep(database_in(home_.path()));
  const Finished finished = recheck({"gemm", "--compile-only", "--device", "test 9000"});
  EXPECT_EQ(finished.status, 1) << finished.err;  // the sample's hash is made up
  EXPECT_EQ(only(finished).at("verdict"), "code_changed") << finished.out;
  EXPECT_EQ(only(finished).at("device").at("compute_capability"), 90);
}

}  // namespace
}  // namespace tilewright::test
