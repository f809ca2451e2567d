#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/unit/db/samples.hpp"
#include "tilewright/error.hpp"
#include "tools/report/report.hpp"

namespace tilewright::tools {
namespace {

using test::failed;
using test::measured;
using test::sweep_key;

class ReportDocument : public ::testing::Test {
 protected:
  std::string add(const SweepKey& key, const std::vector<Trial>& trials,
                  const std::string& report = "{}") {
    const SweepRecord record = store_.begin_sweep(key, test::environment(), Store::Start::fresh);
    for (const Trial& trial : trials) store_.add_trial(record.id, trial);
    store_.finish_sweep(record.id, report);
    return record.uuid;
  }

  nlohmann::json document(const ReportRequest& request = {}) const {
    return report_document(store_, request, library_);
  }
  nlohmann::json only_sweep() const { return document().at("sweeps").at(0); }

  static SweepKey on_device(const std::string& name) {
    SweepKey key = sweep_key();
    key.device.name = name;
    return key;
  }

  test::Folder folder_;
  Store store_{folder_ / "r.db"};
  Library library_ = Library::load({std::string(TILEWRIGHT_SOURCE_DIR) + "/kernel_templates"});
};

TEST_F(ReportDocument, OfAnEmptyDatabaseIsNull) {
  EXPECT_TRUE(document().is_null());
  add(sweep_key(), {});
  EXPECT_TRUE(document().is_null()) << "a sweep without trials has nothing to show";
}

TEST_F(ReportDocument, HasEveryTrialInItsColumns) {
  add(sweep_key(), {measured(16, 30), failed(512, Outcome::pruned), measured(32, 20),
                    measured(16, 29, Stage::final)});
  const nlohmann::json trials = only_sweep().at("trials");
  EXPECT_EQ(trials.at("count"), 4);
  EXPECT_EQ(trials.at("time_us"), nlohmann::json::parse("[30, null, 20, 29]"));
  EXPECT_EQ(trials.at("stage").at("indices"), nlohmann::json::parse("[0, 0, 0, 1]"));
  EXPECT_EQ(trials.at("outcome").at("names"), nlohmann::json::parse(R"(["measured", "pruned"])"));
  EXPECT_EQ(trials.at("rule").at("names"), nlohmann::json::parse(R"(["", "threads"])"));
  const nlohmann::json parameter = trials.at("parameters").at(0);
  EXPECT_EQ(parameter.at("values"), nlohmann::json::parse("[16, 32, 512]"));
  EXPECT_EQ(parameter.at("indices"), nlohmann::json::parse("[0, 2, 1, 0]"));
}

TEST_F(ReportDocument, NamesWinnersWithTheirRivals) {
  add(sweep_key(), {measured(32, 30), measured(16, 20)});
  const nlohmann::json winner = only_sweep().at("winners").at(0);
  EXPECT_EQ(winner.at("implementation"), "gemm/tiled");
  EXPECT_EQ(winner.at("configuration"), nlohmann::json::parse(R"([["TILE_WIDTH", "16"]])"));
  EXPECT_EQ(winner.at("time_us"), 20);
  EXPECT_EQ(winner.at("default_us"), 30);
}

// Useful work and limits: 2 · 1024³ operations, 132 SMs with 128 lanes at 1980 MHz.
TEST_F(ReportDocument, HasTheRooflineOfTheDevice) {
  SweepKey key = sweep_key();
  key.problem.values.insert({{"batch", 1}, {"stride_a", 0}, {"stride_b", 0}, {"accumulate", "no"}});
  add(key, {measured(16, 30)});
  const nlohmann::json sweep = only_sweep();
  EXPECT_NEAR(sweep.at("gflop").get<double>(), 2.147483648, 1e-9);
  EXPECT_EQ(sweep.at("limits").at("compute").at(0).at("name"), "FP32");
  EXPECT_NEAR(sweep.at("limits").at("compute").at(0).at("gflops").get<double>(), 66908.2, 1);
  EXPECT_EQ(sweep.at("limits").at("memory"), 4800);
}

TEST_F(ReportDocument, CountsCutsByRule) {
  add(sweep_key(), {measured(16, 30)},
      R"({"candidates": 5, "clock": {"total_s": 8, "compile_processes": 4}, "implementations":
      {"gemm/tiled": {"combinations": 12, "legal": 5,
       "space": [{"rule": "even", "count": 7, "example": "TILE_WIDTH=3"}], "resources": []}},
       "simple_answers": [
         {"problem": 0, "output": "c", "answer": "zeros", "altered": 8, "told": 8, "passes": false},
         {"problem": 0, "output": "c", "answer": "input a", "altered": 0, "told": 0, "passes": true},
         {"problem": 0, "output": "c", "answer": "1.01 times", "altered": 8, "told": 2},
         {"problem": 1, "output": "c", "answer": "zeros", "altered": 8, "told": 1, "passes": false}],
       "importance": [{"name": "TILE_WIDTH", "share": 0.75, "low": 0.5, "high": 1}]})");
  const nlohmann::json sweep = only_sweep();
  EXPECT_EQ(sweep.at("candidates"), 5);
  EXPECT_EQ(sweep.at("seconds"), 8);
  EXPECT_EQ(sweep.at("implementations").at(1).at("cuts"),
            nlohmann::json::parse(
                R"([{"rule": "even", "count": 7, "example": "TILE_WIDTH=3", "stage": "space"}])"));
  EXPECT_EQ(sweep.at("importance").at(0).at("share"), 0.75);
  EXPECT_EQ(sweep.at("check").dump(), R"(["c: zeros 100 %, input a not counted"])");
}

// Stored reports are of any version, of other programs, or of somebody who means harm.
TEST_F(ReportDocument, LeavesOutWhatAReportLacksOrHasOfAnotherType) {
  for (const char* report :
       {"", "recorded by another tuner", "[1, 2]", "null", R"({"implementations": 3})",
        R"({"clock": {"total_s": "8"}, "importance": {"name": 1}, "candidates": [], "final": 7})",
        R"({"importance": [1, {"share": "x"}, {"name": "A"}, {"name": 5, "share": 1}]})",
        R"({"implementations": {"gemm/tiled": {"space": [5, {"rule": 1}, {"rule": "a",
            "count": "many"}, {"count": -1}], "legal": "all"}}})"}) {
    test::Folder folder;
    Store store(folder / "r.db");
    const SweepRecord record =
        store.begin_sweep(sweep_key(), test::environment(), Store::Start::fresh);
    store.add_trial(record.id, measured(16, 30));
    store.finish_sweep(record.id, report);
    const nlohmann::json sweep = report_document(store, {}, library_).at("sweeps").at(0);
    EXPECT_EQ(sweep.at("importance"), nlohmann::json::array()) << report;
    EXPECT_FALSE(sweep.contains("candidates")) << report;
    for (const nlohmann::json& one : sweep.at("implementations"))
      EXPECT_EQ(one.at("cuts"), nlohmann::json::array()) << report;
  }
}

TEST_F(ReportDocument, WorksOutTheImportanceThatAReportLacks) {
  std::vector<Trial> trials;
  for (int width = 1; width <= 30; ++width) trials.push_back(measured(width, 100.0 / width));
  add(sweep_key(), trials, "recorded by another tuner");
  const nlohmann::json importance = only_sweep().at("importance");
  ASSERT_EQ(importance.size(), 1u);
  EXPECT_EQ(importance.at(0).at("name"), "TILE_WIDTH");
}

TEST_F(ReportDocument, ShowsAnUnfinishedSweepOfAnUnknownOperation) {
  SweepKey key = sweep_key();
  key.operation = key.problem.operation = "mystery";
  const SweepRecord record = store_.begin_sweep(key, test::environment(), Store::Start::fresh);
  store_.add_trial(record.id, failed(16, Outcome::compile_failed));
  const nlohmann::json sweep = only_sweep();
  EXPECT_EQ(sweep.at("finished"), 0);
  EXPECT_EQ(sweep.at("problem"), "K=1024 M=1024 N=1024");
  EXPECT_EQ(sweep.at("winners"), nlohmann::json::array());
  EXPECT_FALSE(sweep.contains("gflop"));
  EXPECT_FALSE(sweep.at("trials").contains("time_us"));
}

TEST_F(ReportDocument, MakesCharactersThatHideSomethingVisible) {
  SweepKey key = on_device("GPU \xE2\x80\xAE\x1b[2J\xFF");
  Trial trial = failed(16, Outcome::compile_failed);
  trial.message = "line one\x07\nline two " + std::string(1000, 'x');
  add(key, {trial});
  const nlohmann::json sweep = only_sweep();
  EXPECT_EQ(sweep.at("device"), "GPU \\u202e\\x1b[2J\\xff");
  EXPECT_EQ(sweep.at("trials").at("message").at("names").at(0), "line one\\x07");
}

TEST_F(ReportDocument, ShowsOnlyWhatIsAskedFor) {
  const std::string first = add(sweep_key(512), {measured(16, 30)});
  SweepKey other = sweep_key();
  other.operation = other.problem.operation = "other";
  add(other, {measured(16, 30)});
  EXPECT_EQ(document().at("sweeps").size(), 2u);
  EXPECT_EQ(document({{{"other"}}, "", ""}).at("sweeps").size(), 1u);
  EXPECT_EQ(document({{{"gemm"}, {"other"}, {"gemm"}}, "", ""}).at("sweeps").size(), 2u);
  const nlohmann::json one = document({{}, first.substr(0, 8), ""});
  EXPECT_EQ(one.at("sweeps").size(), 1u);
  EXPECT_EQ(one.at("sweeps").at(0).at("id"), first);
  EXPECT_THROW(document({{}, "zz", ""}), InputError);
}

TEST_F(ReportDocument, LeavesOutTheOldestOfMoreSweepsThanAPageHolds) {
  for (const int size : {512, 1024, 2048}) add(sweep_key(size), {measured(16, 30)});
  ReportRequest request;
  request.most_sweeps = 2;
  const nlohmann::json page = document(request);
  EXPECT_EQ(page.at("left_out"), 1);
  ASSERT_EQ(page.at("sweeps").size(), 2u);
  EXPECT_EQ(page.at("sweeps")[1], document().at("sweeps")[1]);
}

TEST_F(ReportDocument, LeavesOutTheOldestSweepsOfMoreTrialsThanAPageHolds) {
  add(sweep_key(512), {measured(16, 30)});
  add(sweep_key(1024), {measured(16, 30), measured(32, 30)});
  ReportRequest request;
  request.most_trials = 2;
  EXPECT_EQ(document(request).at("sweeps").size(), 1u);
  EXPECT_EQ(document(request).at("left_out"), 1);
  request.most_trials = 1;
  EXPECT_EQ(document(request).at("sweeps").size(), 1u) << "the newest is always shown";
  EXPECT_EQ(document().at("left_out"), 0);
}

// A wins with 16 and B with 32; both measured both.
TEST_F(ReportDocument, ComparesWinnersAcrossDevices) {
  add(on_device("A"), {measured(16, 10), measured(32, 15)});
  add(on_device("B"), {measured(16, 80), measured(32, 40)});
  const nlohmann::json comparison = document().at("comparison");
  ASSERT_EQ(comparison.at("subjects").size(), 2u);
  const bool is_a_first = comparison.at("subjects").at(0).at("device") == "A";
  const std::size_t a = is_a_first ? 0 : 1;
  const std::size_t b = 1 - a;
  EXPECT_EQ(comparison.at("subjects").at(a).at("time_us"), 10);
  const auto ratio = [&](std::size_t from, std::size_t to) {
    for (const nlohmann::json& entry : comparison.at("ratios"))
      if (entry.at(0) == from && entry.at(1) == to) return entry.at(2).get<double>();
    return 0.0;
  };
  EXPECT_DOUBLE_EQ(ratio(a, b), 2);
  EXPECT_DOUBLE_EQ(ratio(b, a), 1.5);
}

TEST_F(ReportDocument, ComparesWinnersAcrossProblemsOnlyWhereTheyWereMeasured) {
  add(sweep_key(512), {measured(16, 10), measured(32, 15)});
  add(sweep_key(1024), {measured(32, 40), measured(64, 50)});
  const nlohmann::json ratios = document().at("comparison").at("ratios");
  ASSERT_EQ(ratios.size(), 1u) << ratios << ": 16 has no time for the second problem";
  EXPECT_DOUBLE_EQ(ratios.at(0).at(2).get<double>(), 1.5);
}

}  // namespace
}  // namespace tilewright::tools
