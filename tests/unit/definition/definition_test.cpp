#include "definition/definition.hpp"

#include <gtest/gtest.h>

namespace tilewright {
namespace {

TEST(DefaultConfiguration, TakesEveryParametersDefault) {
  Parameter tile;
  tile.name = "TILE";
  tile.default_value = 16;
  Parameter loading;
  loading.name = "LOADING";
  loading.default_value = "threads";
  Implementation implementation;
  implementation.parameters = {tile, loading};
  EXPECT_EQ(canonical_json(default_configuration(implementation).values),
            R"({"LOADING":"threads","TILE":16})");
}

TEST(FillError, IntegersMayHaveOneValueOnly) {
  using Kind = Fill::Kind;
  EXPECT_FALSE(fill_error({Kind::sorted, 3, 3}, ElementType::int32));
  EXPECT_FALSE(fill_error({Kind::integers, 3, 3}, ElementType::float32));
  EXPECT_EQ(fill_error({Kind::sorted, 3, 3}, ElementType::float32),
            "'low' is 3 and must be below 'high', 3");
  EXPECT_EQ(fill_error({Kind::constant, 0.5, 0.5}, ElementType::int8),
            "int8 cannot be filled with fractions");
}

TEST(ElementType, HasNameAndSize) {
  EXPECT_EQ(to_text(ElementType::float32), "float32");
  EXPECT_EQ(to_text(ElementType::uint8), "uint8");
  EXPECT_EQ(size_of(ElementType::float32), 4U);
  EXPECT_EQ(size_of(ElementType::int64), 8U);
  EXPECT_EQ(size_of(ElementType::uint8), 1U);
}

TEST(Definition, EvaluatorsAnswerWhereThereIsNoKernel) {
  Implementation kernel, routine, evaluator;
  routine.routine = "cublas";
  evaluator.evaluator = {"python3"};
  const auto chosen = [](const std::vector<Implementation>& all) {
    std::string kinds;
    for (const Implementation* one : comparable(all))
      kinds += one->is_evaluator() ? 'e' : one->is_routine() ? 'r' : 'k';
    return kinds;
  };
  EXPECT_EQ(chosen({kernel, routine, evaluator}), "kr");
  EXPECT_EQ(chosen({routine, evaluator}), "e");
  EXPECT_EQ(chosen({routine}), "r");
}

}  // namespace
}  // namespace tilewright
