#include "tilewright/tune.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <future>
#include <stdexcept>

#include "db/store/store.hpp"
#include "tests/unit/campaign/scale_request.hpp"

namespace tilewright::test {
namespace {

class Tune : public ScaleRequest {};

TEST_F(Tune, JudgesByTheCallersDataAndReferenceAndKeepsWhatItFinds) {
  std::vector<TuneProgress> steps;
  request_.progress = [&](const TuneProgress& step) { steps.push_back(step); };
  int asked = 0;
  request_.reference = [&](const ReferenceCall& call) {
    ++asked;
    EXPECT_EQ(call.dimension("n"), 1000);
    EXPECT_EQ(call.input<float>("x")[7], 1007.0F);
    EXPECT_EQ(call.input<float>("factor")[0], 5.0F);
    scale(call, 1);
  };
  const TuneResult result = tune(request_);
  EXPECT_EQ(result.implementation, "scale/plain") << result.failure;
  EXPECT_TRUE(result.configuration.values.contains("BLOCK"));
  EXPECT_GT(result.median_us, 0);
  EXPECT_GE(result.default_us, result.interval_low_us);
  EXPECT_EQ(result.end, "finished");
  EXPECT_EQ(result.legal, 2U);
  EXPECT_EQ(result.outcomes.at(Outcome::measured), 2U);
  EXPECT_FALSE(result.was_on_record);
  EXPECT_TRUE(result.other_checks.empty()) << "nobody knows what is right for other sizes";
  EXPECT_EQ(asked, 1);
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_EQ(steps[1].planned, 2U);
  EXPECT_EQ(steps[1].done, 2U);
  EXPECT_GT(steps[1].best_us, 0);

  const Store store(request_.database, Store::Mode::read_only);
  const std::vector<BestRow> best = store.best({.operation = "scale"});
  ASSERT_EQ(best.size(), 1U);
  EXPECT_EQ(best[0].configuration, result.configuration);
  EXPECT_EQ(best[0].sweep_uuid, result.sweep);
}

// As on two equal GPUs: the first one's lock does not keep the second out.
TEST_F(Tune, TwoWithDifferentLocksMeasureTheirSweepOnce) {
  TuneRequest other = request_;
  other.lock_folder = scratch() / "other locks";
  std::future<TuneResult> second;
  request_.progress = [&](const TuneProgress&) {
    if (!second.valid()) second = std::async(std::launch::async, [&other] { return tune(other); });
  };
  const TuneResult first = tune(request_);
  const TuneResult answer = second.get();
  EXPECT_FALSE(first.was_on_record);
  EXPECT_TRUE(answer.was_on_record);
  EXPECT_EQ(answer.sweep, first.sweep);
  const Store store(request_.database, Store::Mode::read_only);
  EXPECT_EQ(store.sweeps({}).size(), 1U);
}

TEST_F(Tune, AnswersTheSameRequestFromTheStoreAndMeasuresOtherData) {
  request_.where = "BLOCK == 32";
  const TuneResult first = tune(request_);
  const TuneResult second = tune(request_);
  EXPECT_TRUE(second.was_on_record);
  EXPECT_EQ(second.sweep, first.sweep);
  EXPECT_EQ(second.median_us, first.median_us);
  EXPECT_EQ(second.outcomes, first.outcomes);
  x_[0] = -1;
  const TuneResult other = tune(request_);
  EXPECT_FALSE(other.was_on_record);
  EXPECT_NE(other.sweep, first.sweep);
}

TEST_F(Tune, SaysThatNothingWasRightAndIsNotMistakenForIt) {
  request_.reference = [](const ReferenceCall& call) { scale(call, 1.01F); };
  const TuneResult wrong = tune(request_);
  EXPECT_FALSE(wrong.found());
  EXPECT_EQ(wrong.outcomes.at(Outcome::wrong_answer), 2U);
  EXPECT_NE(wrong.failure.find("wrong_answer"), std::string::npos) << wrong.failure;
  EXPECT_NE(wrong.failure.find("y["), std::string::npos) << wrong.failure;
  request_.reference = [](const ReferenceCall& call) { scale(call, 1); };
  EXPECT_TRUE(tune(request_).found());
}

// The reference does not write it, and configurations write different things.
TEST_F(Tune, AsksNothingOfAnOutputThatIsIgnored) {
  const auto changed = [](std::string text, const std::string& old, const std::string& by) {
    return text.replace(text.find(old), old.size(), by);
  };
  folder_.write("scale.cu", changed(changed(kScaleKernel, "float* y", "float* y, float* rest"),
                                    "y[i]", "rest[i] = blockDim.x, y[i]"));
  request_.operation = folder_.write(
      "rest.toml", changed(changed(kScaleManifest, "\"y\", \"n\"", "\"y\", \"rest\", \"n\""),
                           "[[implementation]]",
                           "[[operation.argument]]\nname = \"rest\"\nrole = \"output\"\n"
                           "count = \"n\"\n[operation.compare]\nignored = [\"rest\"]\n"
                           "[[implementation]]"));
  const TuneResult result = tune(request_);
  ASSERT_TRUE(result.found()) << result.failure;
  EXPECT_EQ(result.outcomes.at(Outcome::measured), 2U);
}

TEST_F(Tune, ChecksOtherSizesByTheOperationsOwnReference) {
  add_reference();
  request_.where = "BLOCK == 64";
  const TuneResult result = tune(request_);
  EXPECT_TRUE(result.found()) << result.failure;
  ASSERT_EQ(result.other_checks.size(), 1U);
  EXPECT_EQ(result.other_checks[0].values.at("n"), Value{std::int64_t{37}});
}

TEST_F(Tune, NeedsNoDataOfTheCallers) {
  add_reference();
  request_.where = "BLOCK == 64";
  request_.arrays.clear();
  request_.reference = nullptr;
  EXPECT_TRUE(tune(request_).found());
}

TEST_F(Tune, RunsKernelsInThisProcessWhereItIsAsked) {
  request_.where = "BLOCK == 32";
  request_.isolation = Isolation::caller;
  const TuneResult result = tune(request_);
  EXPECT_TRUE(result.found()) << result.failure;
}

TEST_F(Tune, WhatProgressThrowsEndsItAndTheSameRequestGoesOn) {
  request_.progress = [](const TuneProgress&) { throw std::runtime_error("enough"); };
  EXPECT_THROW(tune(request_), std::runtime_error);
  int told = 0;
  request_.progress = [&](const TuneProgress& step) {
    ++told;
    EXPECT_EQ(step.done, 2U);
  };
  EXPECT_EQ(tune(request_).outcomes.at(Outcome::measured), 2U);
  EXPECT_EQ(told, 1) << "the first was on record";
}

// More than are stored.
TEST_F(Tune, CountsAllThatTheDevicesLimitsExclude) {
  std::string manifest = kScaleManifest;
  std::string values = "values = [32, 64";
  for (int block = 1025; block <= 2600; ++block) values += ", " + std::to_string(block);
  manifest.replace(manifest.find("values = [32, 64"), std::strlen("values = [32, 64"), values);
  request_.operation = folder_.write("scale.toml", manifest);
  const TuneResult result = tune(request_);
  EXPECT_EQ(result.outcomes.at(Outcome::measured), 2U) << result.failure;
  EXPECT_EQ(result.outcomes.at(Outcome::pruned), 1576U);
  EXPECT_EQ(tune(request_).outcomes, result.outcomes) << "from the record";
}

TEST_F(Tune, StopsWhereItIsToldTo) {
  const std::atomic<bool> stop = true;
  request_.stop = &stop;
  const TuneResult result = tune(request_);
  EXPECT_EQ(result.end, "interrupted");
  EXPECT_FALSE(result.found());
}

}  // namespace
}  // namespace tilewright::test
