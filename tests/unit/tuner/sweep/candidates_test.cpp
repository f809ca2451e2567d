#include "tuner/sweep/candidates.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "definition/expected_cycles.hpp"
#include "definition/library/library.hpp"
#include "definition/problem.hpp"
#include "tests/support/h200.hpp"
#include "tests/unit/tuner/sweep/fakes.hpp"

namespace tilewright::test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

Configurations legal(const CopyDefinition& copy) {
  return build_space(copy.operation, copy.implementation, copy.request.problem, copy.request.device)
      .legal;
}

TEST(CandidatesTest, NumbersConfigurationsAndFindsThem) {
  const CopyDefinition copy;
  Candidates candidates;
  candidates.add(copy.implementation, legal(copy));
  ASSERT_EQ(candidates.size(), 6u);
  for (std::size_t i = 0; i < candidates.size(); ++i)
    EXPECT_EQ(candidates.find("copy/plain", candidates[i].configuration), i);
  EXPECT_FALSE(candidates.find("copy/other", candidates[0].configuration));
}

TEST(CandidatesTest, DefaultThenLegalSeedsComeFirst) {
  CopyDefinition copy;
  copy.implementation.seeds = {{{"BLOCK", 128}}, {{"BLOCK", 2048}}, {{"BLOCK", 64}}};
  Candidates candidates;
  candidates.add(copy.implementation, legal(copy));
  const auto first = candidates.worth_trying_first(copy.request.problem, copy.request.device, {});
  ASSERT_EQ(first.size(), 2u);  // 2048 threads are not legal, 64 is the default
  EXPECT_EQ(candidates[first[0]].configuration, default_configuration(copy.implementation));
  EXPECT_EQ(candidates[first[1]].configuration.values.at("BLOCK"), Value(std::int64_t{128}));
}

TEST(CandidatesTest, WhatASeedDoesNotNameFollowsTheProblem) {
  CopyDefinition copy;
  copy.implementation.parameters[0].follows = Expression::parse("N > 512 ? 128 : 32");
  copy.implementation.seeds = {{{"UNUSED", 1}}, {{"BLOCK", 64}, {"UNUSED", 1}}};
  Candidates candidates;
  candidates.add(copy.implementation, legal(copy));
  const auto seeds = [&](std::int64_t size) {
    Problem problem = copy.request.problem;
    problem.values["N"] = size;
    std::vector<std::string> texts;
    for (const std::size_t one : candidates.worth_trying_first(problem, copy.request.device, {}))
      texts.push_back(to_text(candidates[one].configuration.values));
    return texts;
  };
  const std::string usual = to_text(default_configuration(copy.implementation).values);
  EXPECT_EQ(seeds(1024),
            (std::vector<std::string>{usual, "BLOCK=128 UNUSED=1", "BLOCK=64 UNUSED=1"}));
  EXPECT_EQ(seeds(512),
            (std::vector<std::string>{usual, "BLOCK=32 UNUSED=1", "BLOCK=64 UNUSED=1"}));
}

TEST(CandidatesTest, ASeedsInactiveParametersHaveTheirDefault) {
  CopyDefinition copy;
  copy.implementation.parameters[1].active = Expression::parse("BLOCK == 128");
  copy.implementation.seeds = {{{"BLOCK", 128}, {"UNUSED", 1}}, {{"BLOCK", 32}, {"UNUSED", 1}}};
  Candidates candidates;
  candidates.add(copy.implementation, legal(copy));
  const auto first = candidates.worth_trying_first(copy.request.problem, copy.request.device, {});
  ASSERT_EQ(first.size(), 3u);
  EXPECT_EQ(to_text(candidates[first[1]].configuration.values), "BLOCK=128 UNUSED=1");
  EXPECT_EQ(to_text(candidates[first[2]].configuration.values), "BLOCK=32 UNUSED=0");
}

TEST(CandidatesTest, ASeedWithoutAResultIsLeftOut) {
  CopyDefinition copy;
  copy.implementation.parameters[0].follows = Expression::parse("1 / (N - N)");
  copy.implementation.seeds = {{{"UNUSED", 1}}};
  Candidates candidates;
  candidates.add(copy.implementation, legal(copy));
  EXPECT_EQ(candidates.worth_trying_first(copy.request.problem, copy.request.device, {}).size(),
            1u);
}

// Rows of A that do not begin at multiples of 16 bytes are copied first.
TEST(CandidatesTest, SeedsOfWgmmaPackWhatMustBe) {
  const Library library =
      Library::load({std::filesystem::path(TILEWRIGHT_SOURCE_DIR) / "kernel_templates"});
  const Operation& operation = library.family("gemm").operation;
  const Implementation& wgmma = library.family("gemm").implementation("wgmma");
  const auto few = Expression::parse("SPLIT_K == 1 && CLUSTER_M == 1 && CLUSTER_N == 1");
  const auto expect_packed = [&](std::int64_t depth, const Value& packed) {
    const Settings sizes = {{"M", 4096}, {"N", 4096}, {"K", depth}, {"type_a", "float16"}};
    const Problem problem = make_problem(operation, sizes, h200());
    Candidates candidates;
    candidates.add(wgmma, build_space(operation, wgmma, problem, h200(), few).legal);
    const auto seeds = candidates.worth_trying_first(problem, h200(), {});
    EXPECT_GE(seeds.size(), 5u);
    for (const std::size_t seed : seeds)
      EXPECT_EQ(candidates[seed].configuration.values.at("PACKED"), packed);
  };
  expect_packed(4096, "none");
  expect_packed(4097, "a");
}

// What comes first of gemm/wgmma for a product in bfloat16, with a filter that makes the space
// small.
std::vector<std::string> first_of_wgmma(const std::string& filter) {
  static const Library library =
      Library::load({std::filesystem::path(TILEWRIGHT_SOURCE_DIR) / "kernel_templates"});
  const Operation& operation = library.family("gemm").operation;
  const Implementation& wgmma = library.family("gemm").implementation("wgmma");
  const Settings sizes = {{"M", 64}, {"N", 4096}, {"K", 4096}, {"type_a", "bfloat16"}};
  const Problem problem = make_problem(operation, sizes, h200());
  const auto where = Expression::parse("SPLIT_K == 1 && CLUSTER_N == 1 && " + filter);
  Candidates candidates;
  candidates.add(wgmma, build_space(operation, wgmma, problem, h200(), where).legal);
  std::vector<std::string> texts;
  for (const std::size_t one : candidates.worth_trying_first(problem, h200(), where))
    texts.push_back(to_text(candidates[one].configuration.values));
  return texts;
}

// They say nothing of DEPENDENT, so they leave it at its default, `no`.
TEST(CandidatesTest, SeedsGiveWayToTheNearestThatTheFilterAllows) {
  auto expected = first_of_wgmma("STORE == 'direct' && DEPENDENT == 'no'");
  EXPECT_GE(expected.size(), 5u);
  for (std::string& one : expected) one.replace(one.find("DEPENDENT=no"), 12, "DEPENDENT=yes");
  EXPECT_EQ(first_of_wgmma("STORE == 'direct' && DEPENDENT == 'yes'"), expected);
  EXPECT_THAT(first_of_wgmma("BLOCK_M == 32 && BLOCK_N == 64 && STAGES == 7 && SPANS_K == 2"),
              Contains(AllOf(HasSubstr("CLUSTER_M=2"), HasSubstr("SWAPPED=yes"))));
}

TEST(CandidatesTest, SeedsThatTheFilterDoesNotRuleOutStayAsTheyAre) {
  CopyDefinition copy;
  copy.implementation.seeds = {{{"BLOCK", 2048}}};  // too many threads
  Candidates candidates;
  candidates.add(copy.implementation, legal(copy));
  const auto first = [&](const std::string& where) {
    return candidates.worth_trying_first(copy.request.problem, copy.request.device,
                                         Expression::parse(where));
  };
  EXPECT_EQ(first("BLOCK > 0 && UNUSED < 2").size(), 1u);
  ASSERT_EQ(first("BLOCK < 2048").size(), 2u);
  EXPECT_EQ(candidates[first("BLOCK < 2048")[1]].configuration.values.at("BLOCK"),
            Value(std::int64_t{128}));
}

Implementation named(const std::string& name, std::vector<Parameter> parameters) {
  Implementation implementation;
  implementation.operation = "copy";
  implementation.name = name;
  implementation.parameters = std::move(parameters);
  Launch launch;
  launch.entry = "copy";
  implementation.launches = {launch};
  return implementation;
}

// The grid that make_grid makes of every candidate, one after the other.
SearchGrid grid_of_all(const Candidates& candidates) {
  std::vector<Candidate> list;
  for (std::size_t i = 0; i < candidates.size(); ++i) list.push_back(candidates[i]);
  std::vector<std::string> names;
  for (const Candidate& candidate : list) names.push_back(candidate.implementation->full_name());
  std::vector<GridPoint> points;
  for (std::size_t i = 0; i < list.size(); ++i)
    points.push_back({names[i], &list[i].configuration.values});
  return make_grid(points);
}

void expect_grid_of_all(const std::vector<Implementation>& implementations) {
  Operation operation;
  operation.name = "copy";
  Candidates candidates;
  for (const Implementation& implementation : implementations)
    candidates.add(implementation,
                   build_space(operation, implementation, {"copy", {}}, Device{}).legal);
  const SearchGrid expected = grid_of_all(candidates);
  const SearchGrid grid = candidates.grid();
  ASSERT_EQ(grid.axes.size(), expected.axes.size());
  for (std::size_t i = 0; i < grid.axes.size(); ++i) {
    EXPECT_EQ(grid.axes[i].name, expected.axes[i].name);
    EXPECT_EQ(grid.axes[i].labels, expected.axes[i].labels);
    EXPECT_EQ(grid.axes[i].values, expected.axes[i].values);
  }
  EXPECT_EQ(grid.levels, expected.levels);
  EXPECT_EQ(grid.has_implementations, expected.has_implementations);
}

TEST(CandidatesTest, GridIsThatOfAllCandidates) {
  const auto parameter = CopyDefinition::parameter;
  // 3 and 64 occur in no legal configuration; `only` has one value in all.
  Implementation a = named(
      "a", {parameter("TILE", {3, 32, 16, 64}, 16), parameter("layout", {"row", "column"}, "row"),
            parameter("only", {7}, 7), parameter("fixed", {1, 2}, 1)});
  a.constraints = {{Expression::parse("TILE % 16 == 0 && TILE * fixed < 64"), "small"},
                   {Expression::parse("layout == 'row' || TILE == 16"), "rows"}};
  const Implementation b = named("b", {parameter("TILE", {8, 16}, 8), parameter("only", {7}, 7),
                                       parameter("implementation", {1, 2, 3}, 1)});
  Implementation none = named("none", {parameter("TILE", {99}, 99)});
  none.constraints = {{Expression::parse("TILE < 99"), "nothing"}};
  expect_grid_of_all({a});
  expect_grid_of_all({a, b});
  expect_grid_of_all({none, b});
  expect_grid_of_all({b, none, a, named("without", {})});
  expect_grid_of_all({named("without", {})});
  expect_grid_of_all({none});
}

// A formula for the whole cost.
void expect_cycles(Implementation& implementation, const std::string& formula) {
  implementation.cost.emplace();
  CostFormulas& cost = *implementation.cost;
  cost.blocks = cost.multiprocessors = cost.resident = Expression::parse("1");
  cost.work = cost.latency = cost.least = Expression::parse("0");
  cost.overhead = Expression::parse(formula);
}

TEST(CandidatesTest, ExpectedCostsAreThoseOfTheFormulas) {
  CopyDefinition copy;
  copy.implementation.parameters.push_back(CopyDefinition::parameter("LOADING", {"a", "b"}, "a"));
  copy.implementation.parameters.back().absent = "a";
  expect_cycles(copy.implementation, "LOADING == 'b' ? 64 % (BLOCK - 64) + 5 : N + BLOCK");
  Implementation silent = named("silent", {CopyDefinition::parameter("TILE", {1, 2}, 1)});
  Candidates candidates;
  candidates.add(silent, build_space(copy.operation, silent, copy.request.problem, {}).legal);
  candidates.add(copy.implementation, legal(copy));
  const auto expected = candidates.expected(copy.request.problem, copy.request.device);
  ASSERT_EQ(expected.size(), 14u);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const Settings settings = candidates[i].configuration.values;
    if (!settings.contains("BLOCK")) {
      EXPECT_EQ(expected[i], 0);
      continue;
    }
    const auto block = std::get<std::int64_t>(settings.at("BLOCK"));
    const double other = block == 64 ? 0 : 5;  // no result
    EXPECT_EQ(expected[i], settings.contains("LOADING") ? other : 1000.0 + double(block)) << i;
  }
}

TEST(CandidatesTest, ExpectedCostsThatNobodyKnowsAreNone) {
  CopyDefinition copy;
  Candidates candidates;
  candidates.add(copy.implementation, legal(copy));
  const auto expected = [&] {
    return candidates.expected(copy.request.problem, copy.request.device);
  };
  EXPECT_TRUE(expected().empty()) << "no formulas";
  expect_cycles(copy.implementation, "BLOCK");
  EXPECT_EQ(expected().size(), candidates.size());
  for (const char* none : {"1 / (N - N)", "0 * BLOCK", "-BLOCK"}) {
    expect_cycles(copy.implementation, none);
    EXPECT_TRUE(expected().empty()) << none;
  }
  expect_cycles(copy.implementation, "BLOCK");
  copy.request.device.kind = DeviceKind::host;
  EXPECT_TRUE(expected().empty());
}

TEST(CandidatesTest, ExpectedCostsAreThoseOfEachConfigurationOfAKernel) {
  const Library library =
      Library::load({std::filesystem::path(TILEWRIGHT_SOURCE_DIR) / "kernel_templates"});
  const Family& family = library.family("stencil3d");
  const Problem problem = make_problem(family.operation, Settings{}, h200());
  Candidates candidates;
  for (const Implementation& one : family.implementations)
    candidates.add(one, build_space(family.operation, one, problem, h200()).legal);
  const std::vector<double> expected = candidates.expected(problem, h200());
  ASSERT_EQ(expected.size(), candidates.size());
  for (std::size_t i = 0; i < expected.size(); i += 1 + expected.size() / 2000) {
    const auto& [implementation, configuration] = candidates[i];
    CostValues values{};
    std::ranges::transform(kCostFormulas, values.begin(), [&](const CostFormula& formula) {
      return (*implementation->cost.*formula.member)
          .evaluate(full_scope(problem, configuration, h200()));
    });
    ASSERT_EQ(expected[i], cycles_on(h200(), values)) << i;
  }
}

// BLOCK is 64 by default, and the seeds are 1024, 32, 256 and 128.
class FirstOfASearch : public ::testing::Test {
 protected:
  FirstOfASearch() {
    Parameter& block = copy_.implementation.parameters[0];
    block.values = {32, 64, 128, 256, 512, 1024};
    copy_.implementation.parameters.resize(1);
    copy_.implementation.seeds = {
        {{"BLOCK", 1024}}, {{"BLOCK", 32}}, {{"BLOCK", 256}}, {{"BLOCK", 128}}};
    copy_.request.strategy = "random";
  }

  std::vector<std::int64_t> blocks(std::size_t count) {
    Candidates candidates;
    candidates.add(copy_.implementation, legal(copy_));
    std::vector<std::int64_t> found;
    for (const std::size_t one : make_search(copy_.request, candidates)->propose(count))
      found.push_back(std::get<std::int64_t>(candidates[one].configuration.values.at("BLOCK")));
    return found;
  }

  CopyDefinition copy_;
};

using Blocks = std::vector<std::int64_t>;

TEST_F(FirstOfASearch, SeedsComeInTheOrderOfTheManifestWithoutCosts) {
  EXPECT_EQ(blocks(5), (Blocks{64, 1024, 32, 256, 128}));
}

TEST_F(FirstOfASearch, SeedsOfLeastExpectedCostComeFirst) {
  expect_cycles(copy_.implementation, "1000 - BLOCK / 2");
  EXPECT_EQ(blocks(5), (Blocks{64, 1024, 256, 128, 32}));
  expect_cycles(copy_.implementation, "BLOCK == 256 ? 1 / (N - N) : 1000 + BLOCK");
  EXPECT_EQ(blocks(5), (Blocks{64, 32, 128, 1024, 256})) << "what nobody knows comes last";
}

TEST_F(FirstOfASearch, HopelessSeedsAreLeftOutAndTheDefaultStays) {
  expect_cycles(copy_.implementation, "BLOCK");
  EXPECT_EQ(blocks(2), (Blocks{64, 32}));
  EXPECT_EQ(Blocks(blocks(6)).size(), 6u) << "the search may find them all the same";
  expect_cycles(copy_.implementation, "BLOCK == 64 ? 9000 : BLOCK == 32 ? 301 : 100 + BLOCK % 128");
  EXPECT_EQ(blocks(4), (Blocks{64, 1024, 256, 128})) << "32 takes over 3 times as long";
  expect_cycles(copy_.implementation, "BLOCK == 64 ? 100001 : BLOCK == 32 ? 200 : 100");
  EXPECT_EQ(blocks(4), (Blocks{1024, 256, 128, 32})) << "the default takes over 1000 times as long";
}

TEST_F(FirstOfASearch, HopelessSuggestionsAreLeftOut) {
  copy_.request.strategy = "model";
  copy_.implementation.seeds.clear();
  const auto suggest = [&](std::int64_t block) {
    copy_.request.suggested.push_back({"copy/plain", {{{"BLOCK", block}}}});
  };
  suggest(1024);
  suggest(128);
  suggest(32);
  EXPECT_EQ(blocks(4), (Blocks{64, 1024, 128, 32}));
  expect_cycles(copy_.implementation, "BLOCK");
  EXPECT_EQ(blocks(2), (Blocks{64, 32})) << "which is a fourth of 128";
  expect_cycles(copy_.implementation, "BLOCK == 1024 ? 200 : BLOCK == 64 ? 64 : 150");
  EXPECT_EQ(blocks(3), (Blocks{64, 128, 32})) << "the default, too, makes others hopeless";
}

TEST_F(FirstOfASearch, UnderAnotherObjectiveAndOnTheHostCostsDoNotCount) {
  expect_cycles(copy_.implementation, "BLOCK");
  const Metric metric;
  copy_.request.objective.emplace(metric, copy_.operation, copy_.request.problem,
                                  copy_.request.device);
  EXPECT_EQ(blocks(5), (Blocks{64, 1024, 32, 256, 128}));
  copy_.request.objective.reset();
  copy_.request.device.kind = DeviceKind::host;
  EXPECT_EQ(blocks(5), (Blocks{64, 1024, 32, 256, 128}));
}

// The outcomes of the first half are known.
TEST_F(FirstOfASearch, AResumedSearchProposesTheSame) {
  expect_cycles(copy_.implementation, "200 + BLOCK");
  copy_.request.strategy = "model:starts=2";
  Candidates candidates;
  candidates.add(copy_.implementation, legal(copy_));
  const auto whole = make_search(copy_.request, candidates);
  const auto resumed = make_search(copy_.request, candidates);
  for (int i = 0; i < 6; ++i) {
    const auto next = whole->propose(1);
    if (i >= 3) {
      EXPECT_EQ(resumed->propose(1), next);
    }
    Trial trial;
    trial.outcome = Outcome::measured;
    trial.timing.emplace().median_us = 10 + i % 3;
    whole->tell(next.at(0), trial);
    resumed->tell(next.at(0), trial);
  }
}

}  // namespace
}  // namespace tilewright::test
