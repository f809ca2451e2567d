#include "definition/expression/program.hpp"

#include <gtest/gtest.h>

#include "definition/general.hpp"
#include "definition/problem.hpp"
#include "tests/unit/definition/manifest/manifest_fixture.hpp"

namespace tilewright {
namespace {

using Numbers = std::vector<std::pair<std::int64_t, std::int64_t>>;  // of x and y

// What the program says of an expression over x, which seldom changes, and y; nothing: no result.
std::vector<std::optional<std::int64_t>> worked_out(const std::string& text, const Numbers& all) {
  Program program;
  program.declare("x", Program::Changes::seldom);
  program.declare("y", Program::Changes::often);
  const Program::Id id = program.add(Expression::parse(text));
  const Program::Steps steps = program.steps_for({id});
  Program::Evaluation evaluation(program);
  std::vector<std::optional<std::int64_t>> results;
  for (const auto& [x, y] : all) {
    evaluation.set(program.place_of("x"), x);
    evaluation.settle();
    evaluation.set(program.place_of("y"), y);
    evaluation.work_out(steps);
    const Program::Result& result = evaluation[id];
    results.push_back(result.is_known ? std::optional(result.number) : std::nullopt);
  }
  return results;
}

// What the expression itself says.
std::vector<std::optional<std::int64_t>> evaluated(const std::string& text, const Numbers& all) {
  std::vector<std::optional<std::int64_t>> results;
  for (const auto& [x, y] : all) {
    const Settings values = {{"x", x}, {"y", y}};
    try {
      results.emplace_back(Expression::parse(text).evaluate(scope_over({&values})));
    } catch (const ExpressionError&) {
      results.emplace_back();
    }
  }
  return results;
}

TEST(Program, SaysWhatExpressionsSay) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const Numbers all = {{3, 7}, {7, 3}, {-7, 2}, {0, 0}, {5, 0}, {0, 5}, {most, 2}, {-1, -most - 1}};
  for (const char* text : {"x + y",
                           "x - y",
                           "x * y",
                           "x / y",
                           "x % y",
                           "ceil_div(x, y)",
                           "-y",
                           "abs(y)",
                           "!y",
                           "min(x, y, 4)",
                           "max(x, y, 4)",
                           "x == y",
                           "x != y",
                           "x < y",
                           "x <= y",
                           "x > y",
                           "x >= y",
                           "x && 10 / y > 1",
                           "x || 10 / y > 1",
                           "y != 0 && x / y > 1",
                           "y == 0 || x / y > 1",
                           "y == 0 ? 1 : x / y",
                           "x / y == 1 ? 1 : 2",
                           "x * 2 + y * 2",
                           "x * 2",
                           "7"})
    EXPECT_EQ(worked_out(text, all), evaluated(text, all)) << text;
}

TEST(Program, LabelsAreNumbersThatDiffer) {
  Program program;
  program.declare("loading", Program::Changes::often);
  const std::int64_t async = program.add_label("async");
  const Program::Id id = program.add(Expression::parse("loading == 'async' ? 1 : 0"));
  Program::Evaluation evaluation(program);
  evaluation.settle();
  const auto says = [&](const Value& value) {
    evaluation.set(program.place_of("loading"), program.number_of(value).value_or(-1));
    evaluation.work_out(program.steps_for({id}));
    return evaluation[id].number;
  };
  EXPECT_EQ(program.number_of("async"), async);
  EXPECT_EQ(says("async"), 1);
  EXPECT_EQ(says("bulk"), 0);
}

TEST(Program, ADefinedNameStandsForItsExpression) {
  Program program;
  program.declare("y", Program::Changes::often);
  program.declare("z", Program::Changes::often);
  program.define("z", Expression::parse("2 * y"));
  const Program::Id id = program.add(Expression::parse("z + 1"));
  Program::Evaluation evaluation(program);
  evaluation.settle();
  evaluation.set(program.place_of("y"), 20);
  evaluation.work_out(program.steps_for({id}));
  EXPECT_EQ(evaluation[id].number, 41);
}

TEST(Program, OnlyWhatDependsOnAChangeIsWorkedOutAgain) {
  Program program;
  program.declare("x", Program::Changes::seldom);
  program.declare("y", Program::Changes::often);
  const Program::Id product = program.add(Expression::parse("(x + 1) * (y + 2)"));
  EXPECT_EQ(program.steps_for({product}).size(), 2U);
  EXPECT_TRUE(program.changes_often(product));
  EXPECT_FALSE(program.changes_often(program.add(Expression::parse("x + 1"))));
}

TEST(Program, ANameWithoutAValueHasNoResult) {
  Program program;
  program.declare("x", Program::Changes::seldom);
  const Program::Id id = program.add(Expression::parse("x + 1"));
  Program::Evaluation evaluation(program);
  evaluation.settle();
  EXPECT_FALSE(evaluation[id].is_known);
}

class GeneralConfigurationsTest : public ManifestTest {};

TEST_F(GeneralConfigurationsTest, AreJudgedAsTheManifestSays) {
  const Manifest manifest = read(kComplete);
  const Implementation& fast = manifest.implementations.at(0);
  Device device;
  device.sm_count = 132;
  const Problem problem =
      make_problem(manifest.operations.at(0), Settings{{"length", 640}, {"taps", 5}}, device);
  GeneralConfigurations::Judge judge(*fast.prepared_general, problem, device);
  ASSERT_EQ(judge.count(), 5U);
  EXPECT_EQ(to_text(judge.configuration(0)->values), "BLOCK=128 FIXED=0 LOADING=all");
  EXPECT_EQ(to_text(judge.configuration(2)->values), "BLOCK=64 FIXED=1 LOADING=all");
  EXPECT_EQ(judge.cycles(2), cycles_of({10, 66, 4, 320, 100, 80, 4000}));
  EXPECT_EQ(judge.cycles(0), cycles_of({5, 66, 4, 640, 100, 80, 4000}));
  EXPECT_TRUE(judge.fits(0));
}

TEST_F(GeneralConfigurationsTest, CostsDoNotDependOnWhatWasJudgedBefore) {
  const Manifest manifest = read(kComplete);
  const GeneralConfigurations& general = *manifest.implementations.at(0).prepared_general;
  Device device;
  device.sm_count = 132;
  const Problem problem =
      make_problem(manifest.operations.at(0), Settings{{"length", 641}, {"taps", 5}}, device);
  GeneralConfigurations::Judge judge(general, problem, device);
  for (std::size_t i = 0; i < judge.count(); ++i) {
    const double cycles = judge.cycles(i);
    EXPECT_EQ(cycles, GeneralConfigurations::Judge(general, problem, device).cycles(i)) << i;
    judge.fits(0);
    EXPECT_EQ(judge.cycles(i), cycles) << i;
  }
  for (std::size_t i = 0; i < judge.count(); ++i)
    EXPECT_EQ(judge.cycles(i), GeneralConfigurations::Judge(general, problem, device).cycles(i))
        << i;
}

TEST(GeneralConfigurations, LabelsThatNoExpressionNamesDiffer) {
  Implementation one;
  one.constraints = {{Expression::parse("left != right"), "the sides differ"}};
  const GeneralConfigurations general(one);
  const auto fits = [&general](const char* left, const char* right) {
    const Problem problem{"mix", {{"left", left}, {"right", right}}};
    const Device device;
    return GeneralConfigurations::Judge(general, problem, device).fits(0);
  };
  EXPECT_TRUE(fits("yes", "no"));
  EXPECT_FALSE(fits("yes", "yes"));
}

TEST(GeneralConfigurations, NoneIsJudgedWhereAConstraintWithoutParametersFails) {
  Implementation one;
  one.parameters = {{"BLOCK", "", {32, 64}, 32, std::nullopt}};
  one.constraints = {{Expression::parse("n <= 16"), "it is small"},
                     {Expression::parse("BLOCK < n + 32"), "a block has work"}};
  one.general = {{{"BLOCK", 64}}};
  const GeneralConfigurations general(one);
  const auto judged = [&general](std::int64_t n) {
    const Problem problem{"small", {{"n", n}}};
    const Device device;
    return GeneralConfigurations::Judge(general, problem, device).count();
  };
  EXPECT_EQ(judged(16), 2U);
  EXPECT_EQ(judged(17), 0U);
}

}  // namespace
}  // namespace tilewright
