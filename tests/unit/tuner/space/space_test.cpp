#include "tuner/space/space.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/unit/tuner/space/example.hpp"
#include "tilewright/error.hpp"

namespace tilewright {
namespace {

using test::constraint;
using test::parameter;

std::vector<Value> range(std::int64_t count) {
  std::vector<Value> values;
  for (std::int64_t i = 0; i < count; ++i) values.emplace_back(i);
  return values;
}

class SpaceTest : public ::testing::Test {
 protected:
  Space build(const std::string& where = "") const {
    std::optional<Expression> narrowed;
    if (!where.empty()) narrowed = Expression::parse(where);
    Space space = build_space(test::copy(), implementation_, problem_, device_, narrowed);
    auto sum = space.satisfying;
    EXPECT_EQ(sum, space.listed);
    auto legal = space.listed;
    for (const Cut& limit : space.limits) legal -= limit.count;
    EXPECT_EQ(legal, static_cast<std::int64_t>(space.legal.size()));
    for (const Cut& cut : space.cuts) {
      EXPECT_GT(cut.count, 0) << cut.rule;
      sum += cut.count;
    }
    EXPECT_EQ(space.combinations, sum);
    return space;
  }

  std::string error(const std::string& where = "") const {
    try {
      build(where);
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  }

  Implementation implementation_ = test::plain();
  Problem problem_{"copy", {{"N", 1000}, {"boundary", "zero"}}};
  Device device_ = test::hopper();
};

std::vector<std::string> texts(const Space& space) {
  std::vector<std::string> result;
  for (std::size_t i = 0; i < space.legal.size(); ++i)
    result.push_back(to_text(space.legal[i].values));
  return result;
}

TEST_F(SpaceTest, KeepsTheManifestsOrder) {
  implementation_.parameters = {parameter("B", {2, 1}, 1), parameter("A", {"x", "y"}, "x")};
  const Space space = build();
  EXPECT_EQ(space.combinations, 4);
  EXPECT_EQ(texts(space), (std::vector<std::string>{"A=x B=2", "A=y B=2", "A=x B=1", "A=y B=1"}));
  EXPECT_TRUE(space.cuts.empty());
}

TEST_F(SpaceTest, HasOneConfigurationWithoutParameters) {
  const Space space = build();
  EXPECT_EQ(space.combinations, 1);
  ASSERT_EQ(space.legal.size(), 1U);
  EXPECT_EQ(space.legal[0], Configuration{});
}

TEST_F(SpaceTest, CountsWhatEachConstraintRemovesFirst) {
  implementation_.parameters = {parameter("A", range(10), 0), parameter("B", range(10), 0),
                                parameter("C", range(10), 0)};
  implementation_.constraints = {constraint("A + B + C < 100", "never broken"),
                                 constraint("A < 4", "A is small"), constraint("A + B < 3"),
                                 constraint("C == A || N > 1000", "C follows A")};
  const Space space = build();
  ASSERT_EQ(space.cuts.size(), 3U);
  EXPECT_EQ(space.cuts[0].rule, "A is small");
  EXPECT_EQ(space.cuts[0].count, 600);
  EXPECT_EQ(space.cuts[0].example, "A=4 breaks constraint 'A < 4'");
  EXPECT_EQ(space.cuts[1].rule, "A + B < 3");
  EXPECT_EQ(space.cuts[1].count, 340);  // of 40 pairs 3 + 2 + 1 stay
  EXPECT_EQ(space.cuts[1].example, "A=3 B=0 breaks constraint 'A + B < 3'");
  EXPECT_EQ(space.cuts[2].rule, "C follows A");
  EXPECT_EQ(space.cuts[2].count, 54);
  EXPECT_EQ(space.cuts[2].example, "A=0 C=1 N=1000 breaks constraint 'C == A || N > 1000'");
  EXPECT_EQ(space.legal.size(), 6U);
}

TEST_F(SpaceTest, AppliesConstraintsOnTheProblemAndTheDevice) {
  implementation_.parameters = {parameter("A", range(10), 0), parameter("B", range(10), 0)};
  implementation_.constraints = {
      constraint("boundary == 'replicate' && device.compute_capability >= 90", "replicates")};
  const Space none = build();
  EXPECT_TRUE(none.legal.empty());
  EXPECT_EQ(none.cuts.at(0).count, 100);
  problem_.values["boundary"] = "replicate";
  EXPECT_EQ(build().legal.size(), 100U);
  device_.compute_capability = 80;
  EXPECT_TRUE(build().legal.empty());
}

TEST_F(SpaceTest, CollapsesInactiveParametersToTheirDefault) {
  // UNROLL comes before the parameter that its activity depends on.
  implementation_.parameters = {parameter("UNROLL", {1, 2, 4}, 2, "BUFFER == 'double'"),
                                parameter("BUFFER", {"single", "double"}, "single"),
                                parameter("STAGES", {2, 3}, 3, "BUFFER == 'double'")};
  const Space space = build();
  ASSERT_EQ(space.cuts.size(), 1U);
  EXPECT_EQ(space.cuts[0].rule, "inactive");
  EXPECT_EQ(space.cuts[0].count, 5);  // all of BUFFER = single but one
  EXPECT_EQ(texts(space), (std::vector<std::string>{
                              "BUFFER=double STAGES=2 UNROLL=1", "BUFFER=double STAGES=3 UNROLL=1",
                              "BUFFER=single STAGES=3 UNROLL=2", "BUFFER=double STAGES=2 UNROLL=2",
                              "BUFFER=double STAGES=3 UNROLL=2", "BUFFER=double STAGES=2 UNROLL=4",
                              "BUFFER=double STAGES=3 UNROLL=4"}));
}

TEST_F(SpaceTest, IsNarrowedByWhere) {
  implementation_.parameters = {parameter("A", range(10), 0)};
  implementation_.constraints = {constraint("A < 8", "A is small")};
  const Space space = build("A % 2 == 0 && N == 1000");
  EXPECT_EQ(space.legal.size(), 4U);
  ASSERT_EQ(space.cuts.size(), 2U);
  EXPECT_EQ(space.cuts[0].rule, "A is small");
  EXPECT_EQ(space.cuts[1].rule, "--where");
  EXPECT_EQ(space.cuts[1].count, 4);
}

TEST_F(SpaceTest, MergesConstraintsOfOneReason) {
  implementation_.parameters = {parameter("A", range(10), 0)};
  implementation_.constraints = {constraint("A > 1", "A fits"), constraint("A < 8", "A fits")};
  const Space space = build();
  ASSERT_EQ(space.cuts.size(), 1U);
  EXPECT_EQ(space.cuts[0].count, 4);
}

TEST_F(SpaceTest, KeepsWhatLimitsRuleOutWithTheReason) {
  implementation_.parameters = {parameter("X", {16, 32, 64}, 16), parameter("Y", {16, 32}, 16)};
  implementation_.launches[0].block[0] = Expression::parse("X");
  implementation_.launches[0].block[1] = Expression::parse("Y");
  const Space space = build();
  EXPECT_EQ(space.legal.size(), 5U);
  ASSERT_EQ(space.pruned.size(), 1U);
  EXPECT_EQ(to_text(space.pruned[0].configuration.values), "X=64 Y=32");
  EXPECT_EQ(space.pruned[0].rule, "threads_per_block");
  EXPECT_EQ(space.pruned[0].message, "block of 64 × 32 = 2048 threads; the device allows 1024");
  ASSERT_EQ(space.limits.size(), 1U);
  EXPECT_EQ(space.limits[0].rule, "threads_per_block");
  EXPECT_EQ(space.limits[0].count, 1);
  EXPECT_EQ(space.limits[0].example,
            "X=64 Y=32: block of 64 × 32 = 2048 threads; the device allows 1024");
}

TEST_F(SpaceTest, CountsWhatLimitsRuleOutAndListsTheFirstOfThem) {
  implementation_.parameters = {parameter("X", range(10000), 0)};
  implementation_.launches[0].block[0] = Expression::parse("X + 1");
  const Space space = build();
  EXPECT_EQ(space.legal.size(), 1024U);
  ASSERT_EQ(space.limits.size(), 1U);
  EXPECT_EQ(space.limits[0].count, 8976);
  ASSERT_EQ(space.pruned.size(), 1000U);
  for (std::size_t i = 0; i < space.pruned.size(); ++i)
    EXPECT_EQ(to_text(space.pruned[i].configuration.values), "X=" + std::to_string(1024 + i));
}

TEST_F(SpaceTest, NamesTheFirstConfigurationWhoseLaunchHasNoResult) {
  implementation_.parameters = {parameter("X", range(20000), 0)};
  implementation_.launches[0].grid[0] = Expression::parse("1 + 0 / ((X - 9000) * (X - 17000))");
  EXPECT_NE(error().find("for X=9000"), std::string::npos);
}

TEST_F(SpaceTest, NamesAConstraintWithoutAResult) {
  implementation_.parameters = {parameter("A", {2, 0}, 2), parameter("B", {1}, 1)};
  implementation_.constraints = {constraint("N % A == 0", "A divides N")};
  EXPECT_EQ(error(),
            "copy/plain: constraint 'N % A == 0': division of 1000 by zero at character 3, for "
            "A=0");
}

TEST_F(SpaceTest, NamesTheConfigurationWhoseLaunchHasNoResult) {
  implementation_.parameters = {parameter("A", {2, 0}, 2)};
  implementation_.launches[0].grid[0] = Expression::parse("ceil_div(N, A)");
  const std::string message = error();
  EXPECT_NE(message.find("copy/plain"), std::string::npos) << message;
  EXPECT_NE(message.find("by zero"), std::string::npos) << message;
  EXPECT_NE(message.find("A=0"), std::string::npos) << message;
}

TEST_F(SpaceTest, RefusesUnknownNames) {
  implementation_.parameters = {parameter("TILE_WIDTH", {2, 0}, 2)};
  EXPECT_EQ(error("TILE_WIDHT == 2"),
            "copy/plain: --where 'TILE_WIDHT == 2': unknown name 'TILE_WIDHT'; did you mean "
            "'TILE_WIDTH'?");
}

TEST_F(SpaceTest, CutsEarlyEnoughForHugeProducts) {
  // 10^18 combinations of which each constraint leaves one in ten, level by level.
  for (int i = 0; i < 18; ++i) {
    const std::string name = "P" + std::to_string(i);
    implementation_.parameters.push_back(parameter(name, range(10), 0));
    implementation_.constraints.push_back(constraint(name + " == 3", name));
  }
  const Space space = build();
  EXPECT_EQ(space.combinations, 1'000'000'000'000'000'000);
  EXPECT_EQ(space.legal.size(), 1U);
  EXPECT_EQ(space.cuts.size(), 18U);
}

TEST_F(SpaceTest, RefusesWhatTakesTooManySteps) {
  implementation_.parameters = {parameter("A", range(10), 0), parameter("B", range(10), 0)};
  implementation_.constraints = {constraint("(A * 7 + B * 3) % 4 != 1")};
  const auto build_within = [&](std::int64_t steps) {
    return build_space(test::copy(), implementation_, problem_, device_, std::nullopt,
                       {.steps = steps});
  };
  EXPECT_EQ(build_within(111).legal.size(), 76U);  // the empty prefix, 10 and 100
  EXPECT_THROW(build_within(110), InputError);
}

// Remainders of products take as many values as there are combinations.
TEST_F(SpaceTest, RefusesWhatTakesTooMuchMemory) {
  std::string product = "1";
  for (int i = 0; i < 10; ++i) {
    const std::string name = "P" + std::to_string(i);
    implementation_.parameters.push_back(parameter(name, range(32), 0));
    product = fmt::format("({} * ({} * {} + 7)) % 2147483647", product, name, 101 + i);
  }
  // These make each prefix longer, so that the memory is full after fewer of them.
  for (int i = 0; i < 50; ++i)
    implementation_.parameters.push_back(parameter("Q" + std::to_string(i), {1}, 1));
  implementation_.constraints = {constraint(product + " == 3", "remainder")};
  const std::string message = error();
  EXPECT_NE(message.find("depend on each other in too many ways"), std::string::npos) << message;
}

TEST_F(SpaceTest, RefusesWhatCannotBeCounted) {
  for (int i = 0; i < 20; ++i)
    implementation_.parameters.push_back(parameter("P" + std::to_string(i), range(10), 0));
  EXPECT_NE(error("0").find("does not fit into 64 bits"), std::string::npos);
}

TEST_F(SpaceTest, SamplesWhatIsTooLargeToList) {
  // Twelve digits that add up to 20.
  std::string sum = "0";
  for (int i = 0; i < 12; ++i) {
    const std::string name = "P" + std::to_string(i);
    implementation_.parameters.push_back(parameter(name, range(10), i < 2 ? 9 : i == 2 ? 2 : 0));
    sum += " + " + name;
  }
  implementation_.constraints = {constraint(sum + " == 20", "digits add up to 20")};
  implementation_.launches[0].block[0] = Expression::parse("P3 > 4 ? 2048 : 32");
  const auto build_within = [&](std::int64_t sampled) {
    return build_space(test::copy(), implementation_, problem_, device_, std::nullopt,
                       {.listed = 1000, .sampled = sampled});
  };
  const Space space = build_within(500);
  EXPECT_TRUE(space.is_sample());
  EXPECT_EQ(space.combinations, 1'000'000'000'000);
  // Σ (-1)^k C(12, k) C(20 - 10 k + 11, 11)
  EXPECT_EQ(space.satisfying, 84672315 - 12 * 352716 + 66 * 1);
  ASSERT_EQ(space.cuts.size(), 1U);
  EXPECT_EQ(space.cuts[0].count + space.satisfying, space.combinations);
  EXPECT_GE(space.listed, 500);
  EXPECT_LE(space.listed, 501);
  EXPECT_GT(space.pruned.size(), 0U);
  EXPECT_TRUE(space.legal.find(default_configuration(implementation_)));
  for (std::size_t i = 0; i < space.legal.size(); ++i) {
    std::int64_t digits = 0;
    const Settings values = space.legal[i].values;
    for (const auto& [name, value] : values) digits += std::get<std::int64_t>(value);
    EXPECT_EQ(digits, 20);
  }
  EXPECT_EQ(texts(build_within(500)), texts(space));
}

}  // namespace
}  // namespace tilewright
