#include <gtest/gtest.h>

#include "db/exchange/winners.hpp"
#include "definition/text/text_file.hpp"
#include "tests/cli/sample_store.hpp"
#include "tests/support/folder_of_files.hpp"
#include "tests/unit/db/ladder/ladder_fixture.hpp"
#include "tilewright/catalog.hpp"

namespace tilewright::test {
namespace {

namespace fs = std::filesystem;

// Rows of one problem under several power limits.
class LadderLimits : public LadderTest {
 protected:
  BestRow under(std::optional<int> limit_w, std::int64_t block, double median_us) const {
    BestRow one = row("scale/plain", configuration(block), median_us);
    one.trial.verification.emplace();
    one.environment.power_limit_w = limit_w;
    return one;
  }
  // The block of the answer where the device has this limit.
  Value block(const std::vector<BestRow>& rows, std::optional<int> present) {
    question_.power_limit_w = present;
    const auto answer = climb(question_, rows);
    EXPECT_EQ(answer->rung, Rung::exact);
    return answer->configuration.values.at("BLOCK");
  }
};

TEST_F(LadderLimits, TheSameLimitAnswersThenAnUnknownOneThenAnother) {
  std::vector<BestRow> rows = {under(400, 32, 5), under({}, 64, 10), under(700, 128, 20)};
  rows[1].superseded = rows[2].superseded = true;
  EXPECT_EQ(block(rows, 700), Value(128));
  EXPECT_EQ(block(rows, 400), Value(32));
  EXPECT_EQ(block(rows, 500), Value(64));
  EXPECT_EQ(block(rows, {}), Value(32));
  rows.erase(rows.begin() + 1);
  EXPECT_EQ(block(rows, 500), Value(32));
}

TEST_F(LadderLimits, OfImplementationsThoseUnderTheLimitAnswer) {
  std::vector<BestRow> rows = {under(700, 32, 20), under(400, 64, 5)};
  rows[1].implementation = "scale/wide";
  EXPECT_EQ(block(rows, 700), Value(32));
  EXPECT_EQ(block(rows, 400), Value(64));
  EXPECT_EQ(block(rows, {}), Value(64));  // the fastest
}

TEST_F(LadderLimits, WhoMeasuredCountsMore) {
  std::vector<BestRow> rows = {under(400, 32, 20), under(700, 64, 5)};
  rows[1].shipped = true;
  EXPECT_EQ(block(rows, 700), Value(32));
}

TEST_F(LadderLimits, OfAnotherDeviceNoneIsCompared) {
  std::vector<BestRow> rows = {under(400, 32, 5), under(700, 64, 10)};
  for (BestRow& one : rows) one.device.name = "another";
  rows[1].superseded = true;
  question_.device->compute_capability = 90;
  for (BestRow& one : rows) one.device.compute_capability = 90;
  question_.power_limit_w = 700;
  const auto answer = climb(question_, rows);
  ASSERT_EQ(answer->rung, Rung::near_device);
  EXPECT_EQ(answer->configuration, configuration(32));
}

class CatalogLimits : public testing::Test {
 protected:
  void SetUp() override { add_limited_sweeps(database_); }
  CatalogOptions options() const {
    CatalogOptions options;
    options.kernels = {fs::path(TILEWRIGHT_SOURCE_DIR) / "kernel_templates"};
    return options;
  }
  static Answer ask(const Catalog& catalog, std::optional<int> limit_w) {
    Question question{"gemm", {{"M", 512}, {"N", 512}, {"K", 512}}, sample_device()};
    question.environment.emplace().power_limit_w = limit_w;
    return catalog.look_up(question);
  }
  static void expect_answers(const Catalog& catalog) {
    EXPECT_EQ(ask(catalog, 700).configuration, kSampleUnder700);
    EXPECT_EQ(ask(catalog, 700).power_limit_w, 700);
    EXPECT_EQ(ask(catalog, 400).configuration, kSampleUnder400);
    EXPECT_FALSE(ask(catalog, 400).stale);
    const Answer unknown = ask(catalog, {});
    EXPECT_EQ(unknown.configuration, kSampleUnder400);  // the newest
    EXPECT_EQ(unknown.why_stale, "");
    const Answer other = ask(catalog, 500);
    EXPECT_EQ(other.rung, Rung::exact);
    EXPECT_EQ(other.configuration, kSampleUnder400);
    EXPECT_TRUE(other.stale);
    EXPECT_EQ(other.why_stale, "measured at 400 W; this GPU is limited to 500 W");
  }

  FolderOfFiles folder_;
  const fs::path database_ = folder_.path() / "results.db";
};

TEST_F(CatalogLimits, ADatabaseAnswersByThem) {
  CatalogOptions with = options();
  with.database = database_;
  expect_answers(Catalog(with));
}

TEST_F(CatalogLimits, ShippedResultsAnswerByThem) {
  CatalogOptions with = options();
  with.shipped = {folder_.path() / "winners.json"};
  write_file(with.shipped[0], export_winners(Store(database_).best({})));
  expect_answers(Catalog(with));
}

TEST_F(CatalogLimits, AResultOfAnotherDeviceIsNotStaleForItsLimit) {
  CatalogOptions with = options();
  with.database = database_;
  Question question{"gemm/naive", {{"M", 512}, {"N", 512}, {"K", 512}}, sample_device("another")};
  question.environment.emplace().power_limit_w = 500;
  const Answer answer = Catalog(with).look_up(question);
  EXPECT_EQ(answer.rung, Rung::near_device);
  EXPECT_FALSE(answer.stale);
}

}  // namespace
}  // namespace tilewright::test
