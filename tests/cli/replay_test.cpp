#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/run_program.hpp"
#include "tests/cli/sample_store.hpp"

namespace tilewright::test {
namespace {

// A cache of Kernel Tuner with 60 configurations of which two fail.
std::string cache() {
  nlohmann::json entries;
  for (int x = 1; x <= 10; ++x)
    for (int y = 1; y <= 6; ++y) {
      nlohmann::json entry = {
          {"x", x}, {"y", y}, {"time", 1 + (x - 7) * (x - 7) + (y - 2) * (y - 2)}};
      if (x == 10 && y > 4) entry["time"] = "RuntimeFailedConfig";
      entries[fmt::format("{},{}", x, y)] = entry;
    }
  return nlohmann::ordered_json({{"device_name", "Some GPU"},
                                 {"kernel_name", "bowl"},
                                 {"tune_params_keys", {"x", "y"}},
                                 {"cache", entries}})
      .dump();
}

class ReplayCommand : public ::testing::Test {
 protected:
  ReplayCommand() { write_text(file_, cache()); }
  Finished run(std::vector<std::string> words) const {
    words.insert(words.begin(), "replay");
    return run_tilewright(folder_.path(), words);
  }
  TemporaryFolder folder_;
  const std::string file_ = folder_ / "bowl.json";
};

TEST_F(ReplayCommand, PrintsEveryStrategyBesideRandomSearch) {
  const Finished finished =
      run({file_, "--strategy", "model,exhaustive", "--budget", "50", "--seeds", "5"});
  EXPECT_EQ(finished.status, 0) << finished.err;
  EXPECT_EQ(finished.err, "");
  for (const char* part : {"bowl.json: bowl, Some GPU", "60 configurations, 2 failed", "model",
                           "exhaustive", "10th percentile", "at random", "95 %"})
    EXPECT_NE(finished.out.find(part), std::string::npos) << part << '\n' << finished.out;
}

TEST_F(ReplayCommand, JsonHasTheFractionsByTrials) {
  const Finished finished =
      run({file_, "--strategy", "exhaustive", "--budget", "60", "--seeds", "3", "--json"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  const nlohmann::json json = nlohmann::json::parse(finished.out);
  const nlohmann::json& record = json.at("records").at(0);
  EXPECT_EQ(record.at("configurations"), 60);
  EXPECT_EQ(record.at("optimum_us"), 1000);
  const nlohmann::json& marks = record.at("strategies").at(0).at("marks");
  ASSERT_EQ(marks.size(), 3U);  // 20, 50, 60
  EXPECT_EQ(marks[2].at("trials"), 60);
  EXPECT_EQ(marks[2].at("median"), 1);
  EXPECT_LE(record.at("random").at("marks")[0].at("median_low"),
            record.at("random").at("marks")[0].at("median_high"));
}

TEST_F(ReplayCommand, ReadsTheEndOfWhatIsCutAndSaysSo) {
  write_text(file_, cache().substr(0, 1000));
  const Finished finished = run({file_, "--seeds", "2", "--budget", "10"});
  EXPECT_EQ(finished.status, 0) << finished.err;
  EXPECT_NE(finished.out.find("ends early"), std::string::npos) << finished.out;
}

TEST_F(ReplayCommand, ReadsOurDatabasesAndExports) {
  add_sample_sweep(database_in(folder_.path()));
  const std::string database = database_in(folder_.path());
  const std::string exported = folder_ / "export.json";
  ASSERT_EQ(run_tilewright(folder_.path(), {"export", "--output", exported}).status, 0);
  const Finished finished =
      run({database, exported, "--strategy", "random", "--seeds", "2", "--budget", "5"});
  EXPECT_EQ(finished.status, 0) << finished.err;
  EXPECT_NE(finished.out.find("mean over 2 records"), std::string::npos) << finished.out;
}

TEST_F(ReplayCommand, RefusesWhatItCannotUse) {
  EXPECT_EQ(run({}).status, 2);
  EXPECT_EQ(run({folder_ / "missing.json"}).status, 2);
  const Finished strategy = run({file_, "--strategy", "modle"});
  EXPECT_EQ(strategy.status, 2);
  EXPECT_NE(strategy.err.find("'model'"), std::string::npos) << strategy.err;
  EXPECT_EQ(run({file_, "--strategy", "model:tree=3"}).status, 2);
  EXPECT_EQ(run({file_, "--budget", "0"}).status, 2);
  write_text(file_, "hello");
  const Finished text = run({file_});
  EXPECT_EQ(text.status, 2);
  EXPECT_NE(text.err.find("bowl.json"), std::string::npos) << text.err;
}

}  // namespace
}  // namespace tilewright::test
