// What answers where nobody tuned has inactive parameters at their default.
#include "tests/unit/db/ladder/inactive.hpp"

#include <limits>
#include <set>

#include "db/ladder/ladder.hpp"
#include "definition/library/library.hpp"
#include "definition/manifest/manifest.hpp"
#include "definition/problem.hpp"
#include "tests/support/h200.hpp"
#include "tests/unit/db/ladder/ladder_fixture.hpp"
#include "tilewright/error.hpp"

namespace tilewright {
namespace {

constexpr std::size_t kDrawn = 12;  // problems of each workload, of each label of each choice

// What workloads mean, and the same with another label of one choice. Nothing if the operation
// has no such problem.
std::vector<Problem> problems_of(const Operation& operation, const Device& device) {
  std::vector<Problem> problems;
  const auto add = [&](const Settings& settings) {
    try {
      problems.push_back(make_problem(operation, settings, device));
    } catch (const InputError&) {
    }
  };
  for (const Workload& workload : workloads_of(operation))
    for (std::size_t i = 0; i < kDrawn; ++i) {
      const Settings settings = drawn(operation, workload, i, device.kind);
      add(settings);
      for (const Choice& choice : operation.choices)
        for (const std::string& label : choice.labels) {
          Settings other = settings;
          other[choice.name] = label;
          add(other);
        }
    }
  return problems;
}

// The full names of the implementations that answered.
std::set<std::string> expect_all_at_default(const Family& family, const Device& device) {
  LadderQuestion question;
  question.operation = &family.operation;
  for (const Implementation& one : family.implementations) question.implementations.push_back(&one);
  question.device = device;
  std::set<std::string> answered;
  for (const Problem& problem : problems_of(family.operation, device)) {
    question.problem = problem;
    for (const LadderAnswer& answer :
         expected_within(question, std::numeric_limits<double>::max())) {
      test::expect_inactive_at_default(answer, question);
      answered.insert(answer.implementation->full_name());
    }
  }
  return answered;
}

TEST(InactiveParameters, HaveTheirDefaultInEachAnswerOfEachOperation) {
  const Library library =
      Library::load({std::filesystem::path(TILEWRIGHT_SOURCE_DIR) / "kernel_templates"});
  for (const auto& [name, family] : library.families()) {
    std::set<std::string> answered = expect_all_at_default(family, test::h200());
    answered.merge(expect_all_at_default(family, test::ampere()));
    for (const Implementation& one : family.implementations)
      if (one.cost) {
        EXPECT_TRUE(answered.contains(one.full_name())) << one.full_name();
      }
  }
}

class InactiveTest : public test::LadderTest {
 protected:
  InactiveTest() {
    device_.sm_count = 1;
    question_.device = device_;
    one_.general = {{{"BLOCK", 64}, {"UNROLL", 2}}, {{"BLOCK", 64}}};
    one_.parameters[1].active = test::parsed("n > 100");
    one_.cost.emplace();
    one_.cost->blocks = test::parsed("ceil_div(n, BLOCK)");
    one_.cost->work = test::parsed("100 / UNROLL");
    question_.implementations = {&one_};
  }

  Configuration answer_for(std::int64_t n) {
    question_.problem.values["n"] = n;
    return climb(question_, {})->configuration;
  }

  Implementation one_ = test::implementation("wide");
};

TEST_F(InactiveTest, OnlyWhereItIsActiveAParameterHasItsOwnValue) {
  EXPECT_EQ(answer_for(101), test::configuration(64, 2));
  EXPECT_EQ(answer_for(100), test::configuration(64, 1));
}

TEST_F(InactiveTest, OrWhatItFollows) {
  one_.parameters[1].follows = test::parsed("n % 2 == 1 ? 2 : 1");
  EXPECT_EQ(answer_for(101), test::configuration(64, 2));
  EXPECT_EQ(answer_for(102), test::configuration(64, 1));
  EXPECT_EQ(answer_for(99), test::configuration(64, 1));
}

TEST_F(InactiveTest, LaterParametersSeeTheDefault) {
  one_.parameters.push_back(
      {"LATE", "", {"no", "yes"}, "no", std::nullopt, test::parsed("UNROLL == 2")});
  one_.general[0]["LATE"] = "yes";
  EXPECT_EQ(answer_for(101).values.at("LATE"), Value("yes"));
  EXPECT_EQ(answer_for(100).values.at("LATE"), Value("no"));
}

TEST_F(InactiveTest, SettingsMayOmitIt) {
  one_.parameters[1].absent = 2;
  one_.general[1]["UNROLL"] = 1;
  bind(one_, operation_);
  EXPECT_EQ(answer_for(101), (Configuration{{{"BLOCK", 64}}}));
  EXPECT_EQ(answer_for(100), test::configuration(64, 1));
}

TEST_F(InactiveTest, WhatBecomesTheSameAnswersOnce) {
  question_.problem.values["n"] = 100;
  EXPECT_EQ(expected_within(question_, 2).size(), 2U) << "the default, and the two others";
  question_.problem.values["n"] = 101;
  EXPECT_EQ(expected_within(question_, 4).size(), 3U);
}

}  // namespace
}  // namespace tilewright
