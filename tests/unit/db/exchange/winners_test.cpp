#include "db/exchange/winners.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/db/samples.hpp"
#include "tilewright/error.hpp"

namespace tilewright {
namespace {

std::vector<BestRow> stored_rows(const test::Folder& folder) {
  Store store(folder / "results.db");
  for (const std::int64_t size : {512, 1024, 2048})
    test::finished(store, test::sweep_key(size),
                   {test::measured(16, 20), test::measured(32, 30), test::measured(8, 21)});
  return store.best({});
}

TEST(Winners, ComeBackAsTheyWere) {
  const test::Folder folder;
  const std::string text = export_winners(stored_rows(folder), "of a \"test\"");
  EXPECT_TRUE(are_winners(text));
  const std::vector<BestRow> rows = import_winners(text, "w.json");
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(export_winners(rows, "of a \"test\""), text);
  const BestRow& row = rows.front();
  EXPECT_FALSE(row.trial.warm_timing);
  EXPECT_EQ(row.implementation, "gemm/tiled");
  EXPECT_EQ(row.configuration, test::tile(16));
  EXPECT_EQ(row.trial.timing->median_us, 20);
  EXPECT_EQ(row.default_median_us, 30);
  EXPECT_EQ(row.runner_up, test::tile(8));
  EXPECT_EQ(row.environment, test::environment());
  EXPECT_EQ(row.device, test::h200());
  EXPECT_EQ(row.measured, 3U);
  EXPECT_NE(row.finished, 0);
}

TEST(Winners, OfRobustSweepsHaveBothTimes) {
  BestRow row;
  row.implementation = row.trial.implementation = "gemm/tiled";
  row.problem = test::cube(64);
  row.device = test::h200();
  row.trial = test::measured(16, 20);
  row.trial.warm_timing = test::measured(16, 15).timing;
  row.configuration = row.trial.configuration;
  const BestRow read = import_winners(export_winners({row}, ""), "w.json").front();
  EXPECT_EQ(read.policy.cache, CachePolicy::robust);
  EXPECT_EQ(read.trial.timing->median_us, 20);
  EXPECT_EQ(read.trial.warm_timing->median_us, 15);
}

TEST(Winners, AreInAStableOrder) {
  const test::Folder folder;
  std::vector<BestRow> rows = stored_rows(folder);
  const std::string text = export_winners(rows);
  std::reverse(rows.begin(), rows.end());
  EXPECT_EQ(export_winners(rows), text);
  EXPECT_TRUE(test::contains(text, "\"times_as_long\":1.5")) << text;
}

TEST(Winners, WhatIsNotKnownMayBeAbsent) {
  BestRow row;
  row.implementation = "gemm/tiled";
  row.problem = test::cube(512);
  row.device = test::h200();
  row.configuration = test::tile(16);
  row.trial.configuration = row.configuration;
  row.trial.timing = test::measured(16, 20).timing;
  const std::string text = export_winners({row});
  for (const char* key : {"verification", "resources", "default", "runner_up", "sweep", "code_hash",
                          "measured\"", "imported", "tie"})
    EXPECT_FALSE(test::contains(text, key)) << key;
  const std::vector<BestRow> rows = import_winners(text, "w.json");
  EXPECT_FALSE(rows.front().trial.verification);
  EXPECT_EQ(rows.front().measured, 0U);
}

TEST(Winners, SourceHashesAreReplacedAndNothingElse) {
  const test::Folder folder;
  std::vector<BestRow> rows = stored_rows(folder);
  rows.at(0).source_hash.clear();
  const std::string about = R"(said "source_hash": "aa")";
  const std::string text = export_winners(rows, about);
  std::vector<std::string> hashes;
  for (BestRow& row : rows)
    if (!row.source_hash.empty()) hashes.push_back(row.source_hash = "new");
  EXPECT_EQ(with_source_hashes(text, hashes), export_winners(rows, about));
  hashes.emplace_back("one too many");
  EXPECT_THROW(with_source_hashes(text, hashes), InputError);
}

TEST(Winners, OfOneSubjectThereIsOne) {
  const test::Folder folder;
  std::vector<BestRow> rows = stored_rows(folder);
  rows.push_back(rows.front());
  EXPECT_TRUE(test::contains(
      test::message_of<InputError>([&] { import_winners(export_winners(rows), "w.json"); }),
      "two winners of gemm/tiled"));
}

TEST(Winners, WhatIsWrongIsNamed) {
  const auto message = [](const std::string& text) {
    return test::message_of<InputError>([&] { import_winners(text, "w.json"); });
  };
  EXPECT_TRUE(test::contains(message("{\"format\": "), "'w.json': the text ends at byte"));
  EXPECT_TRUE(test::contains(message("{}"), "tilewright-winners"));
  EXPECT_TRUE(test::contains(
      message(R"({"format": "tilewright-winners", "version": 2, "groups": []})"), "newer"));
  const test::Folder folder;
  std::string text = export_winners(stored_rows(folder));
  text.replace(text.find("\"median_us\""), 11, "\"median_xx\"");
  EXPECT_TRUE(test::contains(message(text), "group 1: winner 1")) << message(text);
  EXPECT_TRUE(test::contains(message(text), "'median_us' is missing")) << message(text);
}

}  // namespace
}  // namespace tilewright
