#include <gtest/gtest.h>

#include <limits>

#include "tests/unit/db/samples.hpp"
#include "tools/report/report.hpp"

namespace tilewright::tools {
namespace {

using test::measured;

TEST(TrialColumns, HasShortNumbers) {
  EXPECT_EQ(short_number(1.0 / 3).dump(), "0.333333");
  EXPECT_EQ(short_number(1e7).dump(), "10000000");
  EXPECT_EQ(short_number(-0.0).dump(), "0");
  EXPECT_TRUE(short_number(std::numeric_limits<double>::infinity()).is_null());
  EXPECT_TRUE(short_number(std::numeric_limits<double>::quiet_NaN()).is_null());
}

TEST(TrialColumns, CutsLongTextsBetweenCharacters) {
  std::string text(299, 'x');
  text += "\xC3\xA9tail";
  const std::string shown = short_text(text);
  EXPECT_EQ(shown, std::string(299, 'x') + "...");
  EXPECT_EQ(short_text(std::string("short")), "short");
}

TEST(TrialColumns, LeavesOutColumnsWithoutValues) {
  Trial trial;
  trial.implementation = "gemm/tiled";
  trial.configuration.values = {{"LAYOUT", "rows"}};
  trial.outcome = Outcome::unsupported;
  Trial other = trial;
  other.configuration.values = {{"WIDTH", 8}};
  other.resources = Resources{};  // all unknown
  const nlohmann::json columns = trial_columns({trial, other});
  for (const char* name : {"time_us", "registers", "occupancy", "power_w", "compile_ms"})
    EXPECT_FALSE(columns.contains(name)) << name;
  EXPECT_EQ(columns.at("parameters"),
            nlohmann::json::parse(R"([{"name": "LAYOUT", "values": ["rows"], "indices": [0, -1]},
                                      {"name": "WIDTH", "values": [8], "indices": [-1, 0]}])"));
}

TEST(TrialColumns, LeavesOutIndicesThatAreAllZero) {
  const nlohmann::json columns = trial_columns({measured(16, 30), measured(16, 20)});
  EXPECT_FALSE(columns.at("outcome").contains("indices"));
  EXPECT_EQ(columns.at("parameters").at(0),
            nlohmann::json::parse(R"({"name": "TILE_WIDTH", "values": [16]})"));
}

// Compiles take 12.5 ms each, and timed calls (1 + 1.001) · µs · 20.
TEST(TrialColumns, DividesTheDurationByWhatTrialsTook) {
  const std::vector<Trial> trials = {measured(1, 10), measured(2, 10),
                                     measured(1, 10, Stage::final)};
  const std::vector<double> ends = ends_of(trials, {10, 2, 1}).seconds;
  EXPECT_NEAR(ends[0], 4, 1e-9);
  EXPECT_NEAR(ends[1], 8, 1e-9) << "the screening ends before the final";
  EXPECT_NEAR(ends[2], 10, 1e-9);
  const std::vector<double> unscaled = ends_of(trials, {}).seconds;
  EXPECT_NEAR(unscaled[0], 0.0125 + 20.01 * 20 / 1e6, 1e-9);
  EXPECT_NEAR(unscaled[2], unscaled[1], 1e-12);
}

TEST(TrialColumns, SecondsNeedNoTimes) {
  Trial trial;
  trial.outcome = Outcome::pruned;
  EXPECT_EQ(ends_of({trial, trial}, {10, 0, 4}).seconds, (std::vector<double>{0, 0}));
  EXPECT_TRUE(ends_of({}, {10, 0, 4}).seconds.empty());
}

TEST(TrialColumns, EstimatesOnlyTheEndsThatTrialsDoNotSay) {
  std::vector<Trial> trials = {measured(1, 10), measured(2, 10), measured(1, 10, Stage::final)};
  EXPECT_EQ(ends_of(trials, {10, 2, 1}).estimated, 3U);
  trials[0].ended_s = 1.5;
  trials[2].ended_s = 9.5;
  const TrialEnds ends = ends_of(trials, {10, 2, 1});
  EXPECT_EQ(ends.estimated, 1U);
  EXPECT_EQ(ends.seconds[0], 1.5);
  EXPECT_NEAR(ends.seconds[1], 8, 1e-9);
  EXPECT_EQ(ends.seconds[2], 9.5);
}

}  // namespace
}  // namespace tilewright::tools
