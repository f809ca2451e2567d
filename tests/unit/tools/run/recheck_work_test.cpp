#include <gtest/gtest.h>

#include "tests/unit/tuner/sweep/fakes.hpp"
#include "tilewright/error.hpp"
#include "tools/run/recheck.hpp"

namespace tilewright::tools {
namespace {

using tilewright::test::CopyDefinition;
using tilewright::test::FakeCompilers;
using tilewright::test::FakeEvaluator;

Configuration block(std::int64_t size) {
  return {{{"BLOCK", size}, {"UNUSED", 0}}};
}

// The fakes take 1000 / BLOCK µs.
class RecheckWork : public ::testing::Test {
 protected:
  // A stored answer as the fakes would give it again.
  RecheckItem item(std::int64_t size, std::int64_t id = 1) const {
    RecheckItem result;
    result.request = copy_.request;
    result.environment.compiler = "today's";
    result.row.trial_id = id;
    result.row.implementation = "copy/plain";
    result.row.configuration = block(size);
    result.row.problem = copy_.request.problem;
    result.row.device = copy_.request.device;
    result.row.trial.code_hash = "-DBLOCK=" + std::to_string(size);
    result.row.trial.timing = summarise({1000.0 / static_cast<double>(size)}, 1, 0);
    return result;
  }

  std::vector<Rechecked> measure(std::vector<RecheckItem> items) {
    std::vector<Rechecked> results;
    measure_items(std::move(items), compilers_, evaluator_, stop_, [&](Rechecked result) {
      results.push_back(std::move(result));
      if (results.size() == stop_after_) stop_ = true;
    });
    return results;
  }

  std::vector<Rechecked> compile(std::vector<RecheckItem> items) {
    std::vector<Rechecked> results;
    compile_items(std::move(items), compilers_, stop_,
                  [&](Rechecked result) { results.push_back(std::move(result)); });
    return results;
  }

  CopyDefinition copy_;
  FakeCompilers compilers_;
  FakeEvaluator evaluator_;
  std::atomic<bool> stop_ = false;
  std::size_t stop_after_ = 0;
};

TEST_F(RecheckWork, MeasuresTheWinnerBesideItsRivals) {
  RecheckItem one = item(128, 7);
  one.row.runner_up = block(64);
  one.row.default_configuration = block(32);
  const auto results = measure({one});
  ASSERT_EQ(results.size(), 1u);
  const Confirmation& confirmation = results[0].confirmation;
  EXPECT_EQ(confirmation.verdict, Verdict::holds) << confirmation.message;
  EXPECT_EQ(confirmation.trial, 7);
  EXPECT_EQ(confirmation.environment.compiler, "today's");
  EXPECT_EQ(confirmation.code_hash, "-DBLOCK=128");
  ASSERT_TRUE(confirmation.time);
  EXPECT_DOUBLE_EQ(confirmation.time->median_us, 1000.0 / 128);
  EXPECT_DOUBLE_EQ(results[0].now.rivals.runner_up->timing->median_us, 1000.0 / 64);
  EXPECT_DOUBLE_EQ(results[0].now.rivals.standard->timing->median_us, 1000.0 / 32);
}

TEST_F(RecheckWork, ARivalThatIsFasterNowIsFound) {
  RecheckItem one = item(32);
  one.row.runner_up = block(64);
  const auto results = measure({one});
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].confirmation.verdict, Verdict::moved);
}

TEST_F(RecheckWork, TheWinnerIsNoRivalOfItself) {
  RecheckItem one = item(64);
  one.row.default_configuration = block(64);
  one.row.runner_up = block(4096);  // fits the definition no more
  const auto results = measure({one});
  ASSERT_EQ(results.size(), 1u);
  EXPECT_FALSE(results[0].now.rivals.standard);
  EXPECT_FALSE(results[0].now.rivals.runner_up);
  EXPECT_EQ(compilers_.requests.size(), 3u);  // to look at it, for the load, and for the rounds
}

TEST_F(RecheckWork, WhatCannotBeMeasuredFailsAndTheNextGoesOn) {
  RecheckItem undefined = item(64, 1);
  undefined.no_definition = "copy/plain is not defined";
  RecheckItem unreadable = item(64, 2);
  Implementation moved_away = copy_.implementation;
  moved_away.source = "/nowhere/copy.cu";
  unreadable.request.implementations = {&moved_away};
  const auto results = measure({undefined, unreadable, item(64, 3)});
  ASSERT_EQ(results.size(), 3u);
  EXPECT_EQ(results[0].confirmation.verdict, Verdict::failed);
  EXPECT_EQ(results[0].confirmation.message, "copy/plain is not defined");
  EXPECT_FALSE(results[0].confirmation.time);
  EXPECT_EQ(results[1].confirmation.verdict, Verdict::failed);
  EXPECT_NE(results[1].confirmation.message.find("/nowhere/copy.cu"), std::string::npos);
  EXPECT_EQ(results[2].confirmation.verdict, Verdict::holds);
}

TEST_F(RecheckWork, StoppedItKeepsWhatWasDone) {
  stop_after_ = 1;
  EXPECT_EQ(measure({item(64), item(32), item(128)}).size(), 1u);
  stop_ = false;
  stop_after_ = 0;
  evaluator_.on_sample = [this] { stop_ = true; };
  EXPECT_TRUE(measure({item(64)}).empty());
}

TEST_F(RecheckWork, CodeAloneNeedsNoDevice) {
  RecheckItem other = item(32, 2);
  other.row.trial.code_hash = "another";
  RecheckItem unsupported = item(64, 3);
  Implementation newer = copy_.implementation;
  newer.requires_architecture = "sm_100a";
  unsupported.request.implementations = {&newer};
  auto results = compile({item(128, 1), other, unsupported});
  ASSERT_EQ(results.size(), 3u);
  std::ranges::sort(results, {}, [](const Rechecked& r) { return r.confirmation.trial; });
  EXPECT_EQ(results[0].confirmation.verdict, Verdict::same_code);
  EXPECT_EQ(results[1].confirmation.verdict, Verdict::code_changed);
  EXPECT_EQ(results[1].confirmation.code_hash, "-DBLOCK=32");
  EXPECT_EQ(results[2].confirmation.verdict, Verdict::failed);
  EXPECT_NE(results[2].confirmation.message.find("sm_100a"), std::string::npos);
  EXPECT_TRUE(evaluator_.opened.empty());
}

TEST_F(RecheckWork, ManyItemsCompileThroughAShortQueue) {
  std::vector<RecheckItem> items;
  for (std::int64_t i = 0; i < 40; ++i) items.push_back(item(i % 2 == 0 ? 32 : 64, i));
  EXPECT_EQ(compile(items).size(), 40u);
  stop_ = true;
  EXPECT_TRUE(compile(items).empty());
}

}  // namespace
}  // namespace tilewright::tools
