#include "db/ladder/ladder.hpp"

#include <gtest/gtest.h>

#include "tests/unit/db/ladder/ladder_fixture.hpp"

namespace tilewright {
namespace {

using namespace test;

class PortableRung : public LadderTest {
 protected:
  PortableRow ranked(const Configuration& configuration, double mean_ratio) const {
    PortableRow row;
    row.device = device_;
    row.implementation = "scale/plain";
    row.configuration = configuration;
    row.mean_ratio = mean_ratio;
    row.tuned = row.measured = 5;
    row.shared_bytes = 4096;
    return row;
  }

  std::optional<LadderAnswer> ask(const std::vector<PortableRow>& portable,
                                  const std::vector<BestRow>& near = {}) const {
    RowsInSteps source;
    source.near_rows = near;
    source.portable_rows = portable;
    return climb(question_, source).answer;
  }

  const PortableRow good_ = ranked(configuration(64), 1.1);
  const PortableRow middling_ = ranked(configuration(128), 1.2);
  const PortableRow default_ = ranked(configuration(32), 1.5);
};

TEST_F(PortableRung, ComesBeforeTheDefaultAndBehindWhatIsNear) {
  const auto answer = ask({good_, middling_, default_});
  EXPECT_EQ(answer->rung, Rung::portable);
  EXPECT_EQ(answer->configuration, configuration(64));
  EXPECT_EQ(answer->implementation, &plain_);
  EXPECT_FALSE(answer->row);
  EXPECT_EQ(answer->portable->tuned, 5u);
  EXPECT_NE(answer->reason.find("no finished sweep"), std::string::npos) << answer->reason;
  BestRow near = row("scale/plain", configuration(128), 20);
  near.problem.values["n"] = 5000;
  EXPECT_EQ(ask({good_}, {near})->rung, Rung::near_problem);
  EXPECT_EQ(ask({})->rung, Rung::manifest_default);
  question_.device.reset();
  EXPECT_EQ(ask({good_})->rung, Rung::manifest_default);
}

TEST_F(PortableRung, ServesTheFirstThatFits) {
  question_.problem.values["n"] = 100;
  EXPECT_EQ(ask({middling_, good_, default_})->configuration, configuration(64));
  question_.implementations = {&wide_};
  EXPECT_EQ(ask({good_, default_})->rung, Rung::manifest_default);
  PortableRow old = good_;
  old.epoch = 7;
  question_.implementations = {&plain_};
  EXPECT_EQ(ask({old, default_})->rung, Rung::manifest_default);
}

TEST_F(PortableRung, NeverServesWhatDidNoBetterThanTheDefault) {
  EXPECT_EQ(ask({default_, ranked(configuration(64), 1.6)})->rung, Rung::manifest_default);
  EXPECT_EQ(ask({default_, ranked(configuration(64), 1.5)})->rung, Rung::manifest_default);
  EXPECT_EQ(ask({good_})->rung, Rung::portable) << "of the default nothing is known";
}

TEST_F(PortableRung, TakesTheNearestDeviceOfTheKindOnWhichItMayRun) {
  question_.device->compute_capability = 90;
  question_.device->shared_bytes_per_block = 100'000;
  const auto on = [](int compute_capability, PortableRow row) {
    row.device.name = "other";
    row.device.compute_capability = compute_capability;
    return row;
  };
  EXPECT_EQ(ask({on(70, good_), on(80, middling_)})->configuration, configuration(128));
  PortableRow large = on(80, middling_);
  large.shared_bytes = 120'000;
  EXPECT_EQ(ask({on(70, good_), large})->configuration, configuration(64));
  Implementation bound = plain_;
  bound.requires_architecture = "sm_90a";
  question_.implementations = {&bound};
  EXPECT_EQ(ask({on(80, good_)})->rung, Rung::manifest_default);
  EXPECT_EQ(ask({on(90, good_)})->rung, Rung::portable);
}

TEST_F(PortableRung, AnswersWhereNoDefaultFits) {
  Implementation large = plain_;
  large.parameters.front().default_value = 128;
  question_.implementations = {&large};
  question_.problem.values["n"] = 100;
  EXPECT_EQ(ask({good_})->configuration, configuration(64));
  EXPECT_FALSE(ask({}));
}

}  // namespace
}  // namespace tilewright
