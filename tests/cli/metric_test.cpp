// Metrics of the user's own: shown, sorted by, exported, and what a sweep minimises.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/copy_kernel.hpp"
#include "tests/cli/run_program.hpp"

namespace tilewright::test {
namespace {

const std::string kMetrics = R"toml([[operation.metric]]
name = "lines"
unit = "blocks"
value = "n / BLOCK"
better = "higher"

[[operation.metric]]
name = "held"
about = "thread seconds of a block"
unit = "s"
value = "time * 0 + BLOCK"
better = "lower"

[operation.reference])toml";

class MetricsOfASweep : public ::testing::Test {
 protected:
  void SetUp() override {
    file_ = write_copy_kernel(home_.path(), {{"[operation.reference]", kMetrics},
                                             {"values = [32, 64]", "values = [32, 64, 128]"},
                                             {"default = 32", "default = 64"}})
                .string();
  }
  Finished sweep(std::vector<std::string> words) const {
    words.insert(words.begin(), {"sweep", file_, "--device", "host"});
    return run_tilewright(home_.path(), words);
  }
  Finished run(const std::vector<std::string>& words) const {
    return run_tilewright(home_.path(), words);
  }
  std::string best_block(const std::string& metric) const {
    const Finished best =
        run({"best", file_, "--device", "host", "--objective", metric, "--format", "json"});
    EXPECT_EQ(best.status, 0) << best.err;
    const auto json = nlohmann::json::parse(best.out, nullptr, false);
    return json.is_object() ? json.at("configuration").at("BLOCK").dump() : best.out;
  }

  TemporaryFolder home_;
  std::string file_;
};

TEST_F(MetricsOfASweep, AreShownSortedByAndExported) {
  const Finished swept = sweep({"--json"});
  ASSERT_EQ(swept.status, 0) << swept.err;
  const auto answer = nlohmann::json::parse(swept.out);
  const std::string id = answer.at("sweep").get<std::string>().substr(0, 6);
  const auto& winner = answer.at("winners").at(0);
  const auto block = winner.at("configuration").at("BLOCK").get<double>();
  EXPECT_EQ(winner.at("metrics").at("lines").at("value"), 4096 / block);
  EXPECT_EQ(winner.at("metrics").at("lines").at("unit"), "blocks");

  const Finished best = run({"best", file_, "--device", "host"});
  EXPECT_NE(best.out.find("  metrics  lines "), std::string::npos) << best.out;
  EXPECT_NE(best.out.find(" blocks, held "), std::string::npos) << best.out;

  const Finished trials = run({"results", file_, "--sweep", id, "--sort", "lines", "--all"});
  ASSERT_EQ(trials.status, 0) << trials.err;
  EXPECT_LT(trials.out.find("lines 128 blocks"), trials.out.find("lines 64 blocks")) << trials.out;
  EXPECT_LT(trials.out.find("lines 64 blocks"), trials.out.find("lines 32 blocks")) << trials.out;
  const Finished lower = run({"results", file_, "--sweep", id, "--sort", "held", "--json"});
  const auto rows = nlohmann::json::parse(lower.out).at("trials");
  EXPECT_EQ(rows.at(0).at("metrics").at("held").at("value"), 32);
  EXPECT_EQ(rows.back().at("metrics").at("held").at("value"), 128);
  const Finished unknown = run({"results", file_, "--sweep", id, "--sort", "line"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_NE(unknown.err.find("lines"), std::string::npos) << unknown.err;
}

TEST_F(MetricsOfASweep, AreInExportsWhichAreImportedWithoutThem) {
  ASSERT_EQ(sweep({}).status, 0);
  const std::string sweeps = home_ / "sweeps.json";
  const std::string winners = home_ / "winners.json";
  ASSERT_EQ(run({"export", "copy", "--output", sweeps}).status, 0);
  ASSERT_EQ(run({"export", "copy", "--format", "winners", "--output", winners}).status, 0);
  const auto trials = nlohmann::json::parse(content_of(sweeps)).at("sweeps").at(0).at("trials");
  for (const auto& trial : trials)
    EXPECT_EQ(trial.at("metrics").at("lines").at("value"),
              4096 / trial.at("configuration").at("BLOCK").get<double>());
  const auto winner =
      nlohmann::json::parse(content_of(winners)).at("groups").at(0).at("winners").at(0);
  EXPECT_EQ(winner.at("metrics").at("held").at("value"), winner.at("configuration").at("BLOCK"));
  EXPECT_EQ(winner.at("metrics").at("held").at("unit"), "s");

  const TemporaryFolder other;  // does not know the manifest
  ASSERT_EQ(run_tilewright(other.path(), {"import", sweeps}).status, 0);
  const Finished again = run_tilewright(other.path(), {"export", "copy"});
  ASSERT_EQ(again.status, 0) << again.err;
  auto expected = trials;
  for (auto& trial : expected) trial.erase("metrics");
  EXPECT_EQ(nlohmann::json::parse(again.out).at("sweeps").at(0).at("trials"), expected);
  const Finished same = run_tilewright(other.path(), {"diff", sweeps, winners});
  EXPECT_EQ(same.status, 0) << same.out << same.err;
}

TEST_F(MetricsOfASweep, AreInTheReport) {
  ASSERT_EQ(sweep({"--objective", "held"}).status, 0);
  ASSERT_EQ(run({"report", "--link", "-o", home_ / "report.html"}).status, 0);
  const std::string page = content_of(home_ / "report.html");
  const std::string begin = "id=\"data\">";
  const std::size_t from = page.find(begin) + begin.size();
  const auto shown = nlohmann::json::parse(page.substr(from, page.find("</script>", from) - from))
                         .at("sweeps")
                         .at(0);
  EXPECT_EQ(shown.at("objective"), "held");
  EXPECT_EQ(shown.at("winners").at(0).at("configuration"),
            nlohmann::json::parse(R"([["BLOCK", "32"]])"));
  const auto& held = shown.at("metrics").at(1);
  EXPECT_EQ(held.at("name"), "held");
  EXPECT_EQ(held.at("unit"), "s");
  EXPECT_EQ(held.at("better"), "lower");
  EXPECT_EQ(held.at("winners"), nlohmann::json::parse("[32]"));
  const auto& blocks = shown.at("trials").at("parameters").at(0);
  for (std::size_t i = 0; i < held.at("trials").size(); ++i)
    EXPECT_EQ(held.at("trials").at(i),
              blocks.at("values").at(blocks.at("indices").at(i).get<std::size_t>()));
}

TEST_F(MetricsOfASweep, MayBeTheObjective) {
  ASSERT_EQ(sweep({"--objective", "lines"}).status, 0);
  const Finished held = sweep({"--objective", "held"});
  ASSERT_EQ(held.status, 0) << held.err;
  EXPECT_NE(held.out.find("the best held was wanted"), std::string::npos) << held.out;
  EXPECT_NE(held.out.find("BLOCK=32"), std::string::npos) << held.out;
  EXPECT_EQ(best_block("lines"), "32");
  EXPECT_EQ(best_block("held"), "32");
  const auto sweeps = nlohmann::json::parse(run({"results", file_, "--json"}).out).at("sweeps");
  EXPECT_EQ(sweeps.size(), 2U);  // each objective is a sweep of its own
  EXPECT_NE(sweep({"--objective", "held"}).err.find("already finished"), std::string::npos);
}

TEST_F(MetricsOfASweep, ChooseAmongTheTrialsOfASweepForTheTime) {
  EXPECT_EQ(run({"best", file_, "--device", "host", "--objective", "held"}).status, 1);
  ASSERT_EQ(sweep({}).status, 0);
  EXPECT_EQ(best_block("lines"), "32");
  const Finished best = run({"best", file_, "--device", "host", "--objective", "held"});
  EXPECT_NE(best.err.find("was for something else"), std::string::npos) << best.err;
}

TEST_F(MetricsOfASweep, RefuseWhatTheyAreNot) {
  const Finished unknown = sweep({"--objective", "hold"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_NE(unknown.err.find("has no metric 'hold'; did you mean 'held'?"), std::string::npos)
      << unknown.err;
  EXPECT_EQ(sweep({"--objective", "held", "--target", "5us"}).status, 2);
  EXPECT_EQ(run({"best", file_, "--objective", "hold"}).status, 2);
  const Finished without = run({"sweep", "gemm", "M=N=K=8", "--objective", "held"});
  EXPECT_NE(without.err.find("[[operation.metric]]"), std::string::npos) << without.err;
}

}  // namespace
}  // namespace tilewright::test
