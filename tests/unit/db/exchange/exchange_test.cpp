#include "db/exchange/exchange.hpp"

#include <gtest/gtest.h>

#include "definition/json/json.hpp"
#include "tests/unit/db/samples.hpp"
#include "tilewright/error.hpp"

namespace tilewright {
namespace {

using test::contains;
using test::environment;
using test::failed;
using test::finished;
using test::measured;
using test::message_of;
using test::sweep_key;

class Exchange : public ::testing::Test {
 protected:
  Exchange() {
    finished(store_, sweep_key(1024),
             {failed(64, Outcome::pruned), measured(8, 1.0 / 3), measured(8, 0.34, Stage::final),
              failed(4, Outcome::wrong_answer)});
    finished(store_, sweep_key(512), {measured(8, 3), measured(2, 4, Stage::screen, "gemm/naive")});
  }
  std::string refusal(const std::string& text) {
    return message_of<InputError>([&] { import_json(text, "results.json"); });
  }

  test::Folder folder_;
  Store store_{folder_ / "a.db"};
};

TEST_F(Exchange, ImportOfAnExportGivesTheSameBytesAndAnswers) {
  const std::string text = export_json(store_, {});
  EXPECT_EQ(export_json(store_, {}), text);
  EXPECT_EQ(text.back(), '\n');
  EXPECT_EQ(text.substr(0, 30), "{\n  \"format\": \"tilewright\",\n  ");
  Store other(folder_ / "b.db");
  EXPECT_EQ(other.import_sweeps(import_json(text, "a.json")).added, 2U);
  EXPECT_EQ(export_json(other, {}), text);
  ASSERT_EQ(other.best({}).size(), 3U);
  EXPECT_EQ(other.best({}).at(0).trial, store_.best({}).at(0).trial);
  EXPECT_TRUE(other.best({}).at(0).imported);
}

// What a time was measured under: all of it, a part, or nothing, which has no key in the export.
TEST_F(Exchange, WhatATimeWasMeasuredUnderIsKept) {
  Trial all = measured(1, 5);
  all.timing->cache = CachePolicy::cold;
  all.timing->power_w = 612.5;
  all.timing->energy_mj = 0.125;
  all.timing->temperature_c = 61;
  all.timing->throttle_reasons = "power cap, thermal";
  Trial part = measured(2, 6);
  part.timing->throttle_reasons = "";
  part.warm_timing = measured(2, 5).timing;
  part.warm_timing->cache = CachePolicy::warm;
  Store first(folder_ / "first.db");
  finished(first, sweep_key(), {all, part, measured(4, 7)});
  const std::string text = export_json(first, {});
  Store second(folder_ / "second.db");
  second.import_sweeps(import_json(text, "first.json"));
  EXPECT_EQ(second.trials(1), (std::vector<Trial>{all, part, measured(4, 7)}));
  EXPECT_EQ(export_json(second, {}), text);
  const Json trials = Json::parse(text)["sweeps"][0]["trials"];
  EXPECT_EQ(trials[0]["timing"]["cache"], "cold");
  EXPECT_EQ(trials[1]["timing"]["throttle_reasons"], "");
  for (const char* key : {"cache", "power_w", "energy_mj", "temperature_c", "throttle_reasons"})
    EXPECT_FALSE(trials[2]["timing"].contains(key)) << key;
}

TEST_F(Exchange, ImportTwiceAddsNothing) {
  const auto sweeps = import_json(export_json(store_, {}), "a.json");
  EXPECT_EQ(store_.import_sweeps(sweeps).added, 0U);  // our own
  Store other(folder_ / "b.db");
  EXPECT_EQ(other.import_sweeps(sweeps).added, 2U);
  EXPECT_EQ(other.import_sweeps(sweeps).added, 0U);
  EXPECT_EQ(export_json(other, {}), export_json(store_, {}));
}

TEST_F(Exchange, OrderDoesNotDependOnTheOrderOfTheStore) {
  auto sweeps = import_json(export_json(store_, {}), "a.json");
  std::swap(sweeps.at(0), sweeps.at(1));
  Store other(folder_ / "b.db");
  other.import_sweeps(sweeps);
  EXPECT_EQ(export_json(other, {}), export_json(store_, {}));
  EXPECT_EQ(export_json(sweeps), export_json(store_, {}));
}

TEST_F(Exchange, OnlyFinishedSweepsThatMatchAreExported) {
  const auto open = store_.begin_sweep(sweep_key(33), environment(), Store::Start::fresh);
  store_.add_trial(open.id, measured(8, 1));
  EXPECT_EQ(import_json(export_json(store_, {}), "x").size(), 2U);
  const auto one = import_json(export_json(store_, {.problem = test::cube(512)}), "x");
  ASSERT_EQ(one.size(), 1U);
  EXPECT_EQ(one[0].sweep.key.problem, test::cube(512));
  EXPECT_EQ(one[0].trials.size(), 2U);
  EXPECT_TRUE(import_json(export_json(store_, {.operation = "conv1d"}), "x").empty());
}

TEST_F(Exchange, ReportsThatAreNotObjectsAreKeptAsText) {
  Store other(folder_ / "b.db");
  for (const std::string report : {"plain", "\"quoted\"", "17", "", "{broken"}) {
    const auto sweep = other.begin_sweep(sweep_key(), environment(), Store::Start::fresh);
    other.finish_sweep(sweep.id, report);
  }
  for (const auto& imported : import_json(export_json(other, {}), "x")) {
    bool found = false;
    for (const auto& sweep : other.sweeps({}))
      found = found || (sweep.uuid == imported.sweep.uuid && sweep.report == imported.sweep.report);
    EXPECT_TRUE(found) << imported.sweep.report;
  }
}

TEST_F(Exchange, BytesThatAreNotUtf8DoNotStopAnExport) {
  Store other(folder_ / "b.db");
  Trial trial = failed(8, Outcome::compile_failed);
  trial.message = "caf\xE9 \x01";
  finished(other, sweep_key(), {trial});
  const std::string text = export_json(other, {});
  Store third(folder_ / "c.db");
  third.import_sweeps(import_json(text, "x"));
  EXPECT_EQ(export_json(third, {}), text);
}

TEST_F(Exchange, ForeignAndBrokenTextsAreRefusedByName) {
  const std::string text = export_json(store_, {});
  EXPECT_TRUE(contains(refusal("hello"), "'results.json': not JSON at byte 1")) << refusal("hello");
  EXPECT_TRUE(contains(refusal(""), "'results.json'"));
  const std::string truncated = refusal(text.substr(0, text.size() / 2));
  EXPECT_TRUE(contains(truncated, "'results.json'") && contains(truncated, "ends at byte"))
      << truncated;
  EXPECT_TRUE(contains(refusal("[]"), "not an export of tilewright"));
  EXPECT_TRUE(contains(refusal(R"({"format": "other"})"), "not an export of tilewright"));
  const std::string newer = refusal(R"({"format": "tilewright", "version": 3, "sweeps": []})");
  EXPECT_TRUE(contains(newer, "version 3 is not known")) << newer;
  EXPECT_TRUE(
      contains(refusal(R"({"format": "tilewright", "version": 1})"), "'sweeps' is missing"));
}

TEST_F(Exchange, EveryTruncationIsRefused) {
  const std::string text = export_json(store_, {});
  for (std::size_t size = 0; size + 2 < text.size(); size += 397)
    EXPECT_THROW(import_json(text.substr(0, size), "x"), InputError) << size;
}

TEST_F(Exchange, RefusalsSayWhere) {
  Json document = Json::parse(export_json(store_, {}));
  document["sweeps"][1]["trials"][0]["outcome"] = "melted";
  const std::string outcome = refusal(document.dump());
  EXPECT_TRUE(contains(outcome, "'results.json': sweep 2: trial 1: unknown outcome 'melted'"))
      << outcome;
  EXPECT_TRUE(contains(outcome, "compile_timed_out")) << outcome;

  document = Json::parse(export_json(store_, {}));
  document["sweeps"][0]["trials"][0]["implementation"] = "gemm/other";
  EXPECT_TRUE(contains(refusal(document.dump()), "which the sweep does not list"));

  document = Json::parse(export_json(store_, {}));
  document["sweeps"][0]["uuid"] = "'; DROP TABLE trial";
  EXPECT_TRUE(contains(refusal(document.dump()), "32 hexadecimal digits"));
}

TEST_F(Exchange, AnImportThatFailsWritesNothing) {
  auto sweeps = import_json(export_json(store_, {}), "x");
  sweeps.back().trials.back().implementation = "gemm/other";
  Store other(folder_ / "b.db");
  EXPECT_THROW(other.import_sweeps(sweeps), InputError);
  EXPECT_TRUE(other.sweeps({}).empty());
  EXPECT_TRUE(other.best({}).empty());
}

TEST_F(Exchange, EmptyStoreExportsAnEmptyList) {
  Store other(folder_ / "b.db");
  EXPECT_EQ(export_json(other, {}),
            "{\n  \"format\": \"tilewright\",\n  \"version\": 2,\n  \"sweeps\": []\n}\n");
}

}  // namespace
}  // namespace tilewright
