#include "definition/expected_cycles.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <random>
#include <set>

#include "db/ladder/present.hpp"
#include "definition/library/library.hpp"
#include "definition/problem.hpp"
#include "tests/support/h200.hpp"
#include "tests/unit/db/ladder/ladder_fixture.hpp"

namespace tilewright {
namespace {

using namespace test;

TEST(CyclesOf, SharesBlocksOutInGroupsOfThoseThatAreResident) {
  // 35 blocks on 10 multiprocessors: 4 for the busiest, 3 at a time and then 1.
  const Cost cost{35, 10, 3, 300, 0, 0, 40};
  EXPECT_DOUBLE_EQ(cycles_of(cost), 900 + 300 + 40);
}

TEST(CyclesOf, TheRestComesInTwosWhereTwoAreResident) {
  EXPECT_DOUBLE_EQ(cycles_of({25, 10, 2, 300, 0, 0, 40}), 600 + 600 + 40);
  EXPECT_DOUBLE_EQ(cycles_of({5, 10, 2, 300, 0, 0, 40}), 300 + 40) << "there is no other group";
}

TEST(CyclesOf, WorkAndLatencyHideOneAnother) {
  const Cost cost{10, 10, 4, 300, 400, 0, 0};
  EXPECT_DOUBLE_EQ(cycles_of(cost), 500);
}

TEST(CyclesOf, AreAtLeastThoseOfTheTraffic) {
  EXPECT_DOUBLE_EQ(cycles_of({10, 10, 4, 300, 400, 700, 1}), 701);
}

TEST(CyclesOf, NoneWhereThereIsNoSense) {
  EXPECT_EQ(cycles_of({10, 0, 1, 1, 1, 1, 1}), no_cost);
  EXPECT_EQ(cycles_of({10, 1, 0, 1, 1, 1, 1}), no_cost);
  EXPECT_EQ(cycles_of({-1, 1, 1, 1, 1, 1, 1}), no_cost);
}

// Of "scale/wide" every block takes as long, so the fewest are best; they have work up to n = 64.
class GeneralTest : public LadderTest {
 protected:
  GeneralTest() {
    device_.sm_count = 1;
    question_.device = device_;
    costed_.general = {{{"BLOCK", 64}}, {{"BLOCK", 128}}};
    costed_.cost.emplace();
    costed_.cost->blocks = parsed("ceil_div(n, BLOCK)");
    costed_.cost->multiprocessors = parsed("device.sm_count");
    costed_.cost->work = parsed("100");
    question_.implementations = {&plain_, &costed_};
  }

  std::int64_t block_for(std::int64_t n) {
    question_.problem.values["n"] = n;
    const auto answer = climb(question_, {});
    EXPECT_TRUE(answer && answer->rung == Rung::manifest_default);
    return answer ? std::get<std::int64_t>(answer->configuration.values.at("BLOCK")) : 0;
  }

  Implementation costed_ = implementation("wide");
};

TEST_F(GeneralTest, TheLeastExpectedCyclesAnswerOfThoseThatFit) {
  EXPECT_EQ(block_for(4096), 128);
  EXPECT_EQ(block_for(100), 64);
  EXPECT_EQ(block_for(40), 32);
  EXPECT_EQ(climb(question_, {})->implementation, &costed_);
}

TEST_F(GeneralTest, WhatIsExpectedToTakeLittleLongerIsKnown) {
  const auto blocks_within = [&](double share) {
    std::vector<std::int64_t> blocks;
    for (const LadderAnswer& answer : expected_within(question_, share))
      blocks.push_back(std::get<std::int64_t>(answer.configuration.values.at("BLOCK")));
    return blocks;
  };
  question_.problem.values["n"] = 4096;
  EXPECT_EQ(blocks_within(1), (std::vector<std::int64_t>{128}));
  EXPECT_EQ(blocks_within(2), (std::vector<std::int64_t>{128, 64}));
  EXPECT_EQ(blocks_within(5), (std::vector<std::int64_t>{128, 64, 32})) << "none without a cost";
  question_.problem.values["n"] = 100;  // no work for a block of 128
  EXPECT_EQ(blocks_within(2), (std::vector<std::int64_t>{64, 32}));
  question_.device->kind = DeviceKind::host;
  EXPECT_TRUE(blocks_within(2).empty());
}

TEST_F(GeneralTest, OneThatIsReadyAnswersIfItTakesLittleLonger) {
  std::set<std::int64_t> ready;
  question_.is_ready = [&](const Implementation&, const Configuration& one) {
    return ready.contains(std::get<std::int64_t>(one.values.at("BLOCK")));
  };
  EXPECT_EQ(block_for(4096), 128) << "nothing is ready";
  ready = {64};
  EXPECT_EQ(block_for(4096), 128) << "64 takes twice as long";
  costed_.cost->work = parsed("BLOCK == 64 ? 54 : 100");
  EXPECT_EQ(block_for(4096), 64);
  ready = {64, 128};
  EXPECT_EQ(block_for(4096), 128);
  ready = {64};
  question_.device->kind = DeviceKind::host;
  EXPECT_EQ(block_for(4096), 32) << "nobody knows what to expect";
}

// Its library's version is "Lib 1.0".
TEST_F(GeneralTest, ARoutineThatIsExpectedToBeFasterAnswersWhereItsLibraryIs) {
  Family family{operation_, {plain_, costed_, implementation("library")}};
  Implementation& routine = family.implementations.back();
  routine.routine = "lib";
  routine.relative_cost = parsed("n < 1000 ? 1200 : 900");
  question_.implementations = {&family.implementations[0], &family.implementations[1], &routine};
  const auto answer_for = [&](std::int64_t n, const char* version) {
    PresentDefinitions present(family);
    if (version != nullptr)
      present.know_libraries([version](const std::string&) { return version; });
    question_.present = &present;
    question_.problem.values["n"] = n;
    EXPECT_EQ(relative_cost(question_, routine).has_value(),
              version != nullptr && version[0] != '\0');
    return climb(question_, {})->implementation->name;
  };
  EXPECT_EQ(answer_for(4096, "Lib 1.0"), "library");
  EXPECT_EQ(answer_for(999, "Lib 1.0"), "wide");
  EXPECT_EQ(answer_for(4096, ""), "wide");
  EXPECT_EQ(answer_for(4096, nullptr), "wide") << "nobody knows";
  question_.device->kind = DeviceKind::host;
  EXPECT_EQ(answer_for(4096, "Lib 1.0"), "plain") << "nobody knows what to expect";
  question_.device->kind = DeviceKind::cuda;
  question_.is_ready = [](const Implementation&, const Configuration&) { return false; };
  routine.relative_cost = parsed("1050");
  EXPECT_EQ(answer_for(4096, "Lib 1.0"), "library") << "it needs no compile";
  routine.relative_cost = parsed("0");
  question_.is_ready = nullptr;
  PresentDefinitions present(family);
  present.know_libraries([](const std::string&) { return "Lib 1.0"; });
  question_.present = &present;
  EXPECT_FALSE(relative_cost(question_, routine)) << "it is not known";
}

TEST_F(GeneralTest, NothingWeakerThanAskedForAnswers) {
  question_.weakest = Rung::portable;
  EXPECT_FALSE(climb(question_, {}));
  question_.weakest = Rung::manifest_default;
  EXPECT_EQ(block_for(4096), 128);
}

// A snippet rules out implementations that do not call it.
TEST_F(GeneralTest, AConstraintThatCameAfterTheManifestCounts) {
  costed_.prepared_general = std::make_shared<const GeneralConfigurations>(costed_);
  EXPECT_EQ(block_for(4096), 128);
  costed_.constraints.push_back({parsed("n == 0"), "the snippet is called"});
  EXPECT_EQ(block_for(4096), 32);
  EXPECT_EQ(climb(question_, {})->implementation, &plain_);
  EXPECT_EQ(expected_within(question_, 1).size(), 0U);
}

TEST_F(GeneralTest, WithoutCostsTheDefaultsAnswerInTheirOrder) {
  costed_.cost.reset();
  EXPECT_EQ(block_for(4096), 32);
  EXPECT_EQ(climb(question_, {})->implementation, &plain_);
}

TEST_F(GeneralTest, OnTheHostAndWithoutADeviceCostsDoNotCount) {
  question_.device->kind = DeviceKind::host;
  EXPECT_EQ(block_for(4096), 32);
  question_.device.reset();
  EXPECT_EQ(block_for(4096), 32);
}

TEST_F(GeneralTest, ACostWithoutAResultIsNone) {
  costed_.cost->latency = parsed("1 / (BLOCK - 128)");
  EXPECT_EQ(block_for(4096), 64);
}

TEST_F(GeneralTest, AParameterFollowsTheProblem) {
  costed_.parameters[1].follows = parsed("n % 2 == 0 ? 2 : 1");
  EXPECT_EQ(block_for(4096), 128);
  EXPECT_EQ(climb(question_, {})->configuration, configuration(128, 2));
  EXPECT_EQ(block_for(4097), 128);
  EXPECT_EQ(climb(question_, {})->configuration, configuration(128, 1));
  costed_.parameters[1].follows = parsed("3");  // no value of it
  EXPECT_EQ(block_for(4096), 32);
  costed_.parameters[1].follows = parsed("1 / (n - n)");
  EXPECT_EQ(block_for(4096), 32);
}

TEST_F(GeneralTest, WhereNothingFitsAPlainDefaultDoes) {
  question_.implementations = {&costed_};
  costed_.parameters[1].follows = parsed("3");  // no value of it
  EXPECT_EQ(block_for(4096), 32);
  EXPECT_EQ(climb(question_, {})->configuration, configuration(32, 1));
}

TEST_F(GeneralTest, WhatIsExpectedToBeFasterGoesBeforeANeighbour) {
  BestRow near = row("scale/wide", configuration(64), 10);
  near.problem.values["n"] = 5000;
  EXPECT_EQ(climb(question_, {near})->rung, Rung::manifest_default);
  near.configuration = configuration(128);
  EXPECT_EQ(climb(question_, {near})->rung, Rung::near_problem);
  near.implementation = "scale/plain";  // of which nobody knows
  near.configuration = configuration(64);
  EXPECT_EQ(climb(question_, {near})->rung, Rung::near_problem);
}

TEST_F(GeneralTest, AndBeforeAPortableOne) {
  PortableRow portable;
  portable.implementation = "scale/wide";
  portable.device = device_;
  portable.mean_ratio = 1.1;
  portable.configuration = configuration(64);
  EXPECT_EQ(climb(question_, {}, {portable})->rung, Rung::manifest_default);
  portable.configuration = configuration(128, 2);
  EXPECT_EQ(climb(question_, {}, {portable})->rung, Rung::portable);
}

TEST_F(GeneralTest, WhatWasMeasuredBesideTheDefaultMustBeBetterThereToo) {
  PortableRow usual, portable;
  usual.implementation = portable.implementation = "scale/wide";
  usual.device = portable.device = device_;
  usual.configuration = configuration(128);
  usual.mean_ratio = 1.3;
  portable.configuration = configuration(128, 2);  // expected to take as long
  portable.mean_ratio = 1.1;
  EXPECT_EQ(climb(question_, {}, {portable, usual})->configuration, configuration(128, 2));
  portable.mean_ratio = 1.4;
  EXPECT_EQ(climb(question_, {}, {portable, usual})->rung, Rung::manifest_default);
  portable.mean_ratio = 1.1;
  portable.configuration = configuration(64);  // better over other problems, not over this one
  EXPECT_EQ(climb(question_, {}, {portable, usual})->rung, Rung::manifest_default);
}

TEST_F(GeneralTest, APortableOneDoesNotTakeThePlaceOfANeighbourThatGivesWay) {
  BestRow near = row("scale/wide", configuration(64), 10);
  near.problem.values["n"] = 5000;
  PortableRow unknown;
  unknown.implementation = "scale/plain";
  unknown.device = device_;
  unknown.configuration = configuration(64);
  EXPECT_EQ(climb(question_, {}, {unknown})->rung, Rung::portable);
  EXPECT_EQ(climb(question_, {near}, {unknown})->rung, Rung::manifest_default);
}

// What a search expects of a configuration is what a look-up expects of it.
TEST(ExpectedCycles, OfManyConfigurationsAreThoseOfEach) {
  const Library library =
      Library::load({std::filesystem::path(TILEWRIGHT_SOURCE_DIR) / "kernel_templates"});
  constexpr std::size_t most = 500;
  std::mt19937_64 random(1);
  const std::vector<std::pair<const char*, Settings>> problems = {
      {"gemm", {}}, {"gemm", {{"M", 4}}}, {"stencil3d", {}}, {"conv2d_separable", {}}};
  for (const auto& [name, sizes] : problems) {
    const Family& family = library.family(name);
    LadderQuestion question;
    question.device = h200();
    question.problem = make_problem(family.operation, sizes, h200());
    std::size_t known = 0;
    for (const Implementation& one : family.implementations) {
      if (one.is_routine()) continue;  // nobody expects its cycles
      ExpectedCycles cycles(one, question.problem, h200());
      ASSERT_TRUE(cycles.is_known()) << one.full_name();
      for (std::size_t i = 0; i < most; ++i) {  // whatever the constraints say
        Configuration configuration;
        std::vector<std::int64_t> numbers;
        for (const Parameter& parameter : one.parameters) {
          const Value& value = parameter.values[random() % parameter.values.size()];
          set(configuration, parameter, value);
          numbers.push_back(cycles.number_of(value));
        }
        const double expected = expected_cycles(question, one, configuration);
        ASSERT_EQ(cycles.of(numbers), expected) << one.full_name() << to_text(configuration.values);
        known += expected == no_cost ? 0 : 1;
      }
    }
    EXPECT_GT(known, most / 2) << name;
  }
}

}  // namespace
}  // namespace tilewright
