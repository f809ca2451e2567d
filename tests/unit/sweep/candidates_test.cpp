#include "tuner/sweep/candidates.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "tests/unit/sweep/fakes.hpp"

namespace tilewright::test {
namespace {

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
  const auto first = candidates.worth_trying_first();
  ASSERT_EQ(first.size(), 2u);  // 2048 threads are not legal, 64 is the default
  EXPECT_EQ(candidates[first[0]].configuration, default_configuration(copy.implementation));
  EXPECT_EQ(candidates[first[1]].configuration.values.at("BLOCK"), Value(std::int64_t{128}));
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

}  // namespace
}  // namespace tilewright::test
