#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/run_program.hpp"
#include "tests/cli/sample_store.hpp"

namespace tilewright::test {
namespace {

namespace fs = std::filesystem;

// The document in a page.
nlohmann::json document_in(const fs::path& page) {
  const std::string text = content_of(page);
  const std::string begin = "id=\"data\">";
  const std::size_t from = text.find(begin) + begin.size();
  const std::string data = text.substr(from, text.find("</script>", from) - from);
  EXPECT_EQ(data.find('<'), std::string::npos);
  return nlohmann::json::parse(data);
}

class Report : public ::testing::Test {
 protected:
  void SetUp() override {
    uuid_ = add_sample_sweep(database_in(home_.path()));
    write_text(elsewhere_ / "plotly.min.js", "/* the charts */");
  }
  Finished run(const std::vector<std::string>& words) const {
    return run_tilewright(home_.path(), words,
                          {"TILEWRIGHT_PLOTLY=" + (elsewhere_ / "plotly.min.js").string()});
  }
  fs::path page() const { return elsewhere_ / "report.html"; }

  TemporaryFolder home_;
  TemporaryFolder elsewhere_;
  std::string uuid_;
};

TEST_F(Report, IsOnePageWithTheChartsInIt) {
  const Finished done = run({"report", "-o", page()});
  ASSERT_EQ(done.status, 0) << done.err;
  EXPECT_NE(done.err.find("report.html: 1 sweep;"), std::string::npos) << done.err;
  EXPECT_EQ(done.out, "");
  const std::string text = content_of(page());
  EXPECT_NE(text.find("/* the charts */"), std::string::npos);
  EXPECT_EQ(text.find(" src="), std::string::npos) << "nothing is loaded";
  const nlohmann::json sweep = document_in(page()).at("sweeps").at(0);
  EXPECT_EQ(sweep.at("id"), uuid_);
  EXPECT_EQ(sweep.at("problem"), "M=N=K=512");
  EXPECT_EQ(sweep.at("trials").at("count"), 6);
}

TEST_F(Report, LinksToTheChartsOnRequest) {
  ASSERT_EQ(run({"report", "gemm", "--link", "--output", page()}).status, 0);
  const std::string text = content_of(page());
  EXPECT_EQ(text.find("/* the charts */"), std::string::npos);
  EXPECT_NE(text.find("src=\"https://cdn.plot.ly/plotly-"), std::string::npos);
  EXPECT_NE(text.find("integrity=\"sha384-"), std::string::npos);
}

TEST_F(Report, OfAnExportIsThatOfItsDatabase) {
  const std::string file = elsewhere_ / "gemm.json";
  ASSERT_EQ(run({"export", "gemm", "--output", file}).status, 0);
  ASSERT_EQ(run({"report", "-o", page()}).status, 0);
  nlohmann::json own = document_in(page());
  const TemporaryFolder empty;
  const Finished done = run_tilewright(
      empty.path(), {"report", "--from", file, "--from", file, "--link", "-o", page()});
  ASSERT_EQ(done.status, 0) << done.err;
  EXPECT_FALSE(fs::exists(database_in(empty.path()))) << "nothing is imported";
  nlohmann::json of_export = document_in(page());
  EXPECT_EQ(of_export.at("source"), "gemm.json, gemm.json");
  EXPECT_EQ(of_export.at("sweeps").at(0).at("imported"), true);
  for (nlohmann::json* one : {&own, &of_export}) {
    one->erase("source");
    one->at("sweeps").at(0).erase("imported");
  }
  EXPECT_EQ(of_export, own);
}

TEST_F(Report, ShowsOneSweepOrOperation) {
  add_sample_sweep(database_in(home_.path()), sample_device("Second GPU"));
  ASSERT_EQ(run({"report", "-o", page()}).status, 0);
  EXPECT_EQ(document_in(page()).at("sweeps").size(), 2U);
  EXPECT_EQ(document_in(page()).at("comparison").at("ratios").size(), 2U);
  ASSERT_EQ(run({"report", "--sweep", uuid_.substr(0, 6), "-o", page()}).status, 0);
  EXPECT_EQ(document_in(page()).at("sweeps").size(), 1U);
  EXPECT_EQ(run({"report", "conv1d", "gemm/naive", "-o", page()}).status, 0);
}

}  // namespace
}  // namespace tilewright::test
