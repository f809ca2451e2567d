#include "tuner/space/formulas.hpp"

#include <gtest/gtest.h>

#include "tests/unit/tuner/space/example.hpp"

namespace tilewright {
namespace {

Implementation formulas_example() {
  Implementation implementation = test::plain();
  implementation.parameters = {test::parameter("A", {1, 2, 6}, 1), test::parameter("B", {0, 3}, 3),
                               test::parameter("LAYOUT", {"row", "column"}, "row"),
                               test::parameter("MIXED", {1, "row"}, 1)};
  return implementation;
}

class FormulasTest : public ::testing::Test {
 protected:
  FormulaId add(const std::string& text) { return formulas_.add(Expression::parse(text).root()); }

  std::optional<std::int64_t> value(const std::string& text, std::vector<std::int64_t> values) {
    std::int64_t result = 0;
    if (!formulas_.evaluate(add(text), values, result)) return std::nullopt;
    return result;
  }

  Implementation implementation_ = formulas_example();
  Problem problem_{"copy", {{"N", 1000}, {"order", "column"}}};
  Device device_ = test::hopper();
  Bindings bindings_{implementation_, problem_, device_};
  Formulas formulas_{implementation_, bindings_};
};

TEST_F(FormulasTest, SharesEqualPartsAndFoldsConstants) {
  const FormulaId product = add("A * B");
  const std::size_t before = formulas_.size();
  EXPECT_EQ(add("A * B"), product);
  EXPECT_EQ(formulas_.size(), before);
  EXPECT_EQ(formulas_[add("A * B < N / 10 - 1")].places[0], product);
  const Formula& folded = formulas_[add("N / 10 - 1 + device.warp_size")];
  EXPECT_EQ(folded.role, Formula::Role::constant);
  EXPECT_EQ(folded.number, 131);
  EXPECT_EQ(add("order"), add("'column'"));
}

TEST_F(FormulasTest, GivesParametersTheNumbersOfTheirValues) {
  EXPECT_EQ(formulas_.domains()[0], (std::vector<std::int64_t>{1, 2, 6}));
  const std::vector<std::int64_t>& layouts = formulas_.domains()[2];
  EXPECT_EQ(value("LAYOUT == 'column'", {0, 0, layouts[1], 0}), 1);
  EXPECT_EQ(value("LAYOUT == 'column'", {0, 0, layouts[0], 0}), 0);
  EXPECT_EQ(value("(A == 1 ? LAYOUT : 'row') != order", {1, 0, layouts[1], 0}), 0);
}

TEST_F(FormulasTest, HasNoValueWhereThereIsNone) {
  EXPECT_EQ(value("A / B", {6, 0, 0, 0}), std::nullopt);
  EXPECT_EQ(value("A / B", {6, 3, 0, 0}), 2);
  EXPECT_EQ(value("B == 0 || A / B == 2", {6, 0, 0, 0}), 1);
  EXPECT_EQ(value("B != 0 && A / B == 2", {6, 0, 0, 0}), 0);
  EXPECT_EQ(value("B == 0 ? 7 : A / B", {6, 0, 0, 0}), 7);
  EXPECT_EQ(value("A * 9223372036854775807", {2, 0, 0, 0}), std::nullopt);
  EXPECT_EQ(value("-(A) - 9223372036854775807", {2, 0, 0, 0}), std::nullopt);
  EXPECT_EQ(value("9223372036854775807 + N", {2, 0, 0, 0}), std::nullopt);
}

TEST_F(FormulasTest, LeavesToTheTreeWhatMayBeALabelOrANumber) {
  EXPECT_EQ(value("LAYOUT + 1", {1, 0, 0, 0}), std::nullopt);
  EXPECT_EQ(value("LAYOUT == 1", {1, 0, 0, 0}), std::nullopt);
  EXPECT_EQ(value("MIXED == 1", {1, 0, 0, 1}), std::nullopt);
  EXPECT_EQ(value("nobody == 1", {1, 0, 0, 1}), std::nullopt);
  EXPECT_EQ(value("A == 1 || LAYOUT", {1, 0, 0, 0}), std::nullopt);
}

TEST_F(FormulasTest, KnowsWhichParametersAreBelow) {
  EXPECT_EQ(parameters_below(formulas_, add("B + (A < N ? 1 : 2) + B")),
            (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(parameters_below(formulas_, add("MIXED == 1")), (std::vector<std::size_t>{3}));
  const FormulaId sum = add("A + B + N");
  const FormulaId constant = add("N + 1");
  const std::vector<std::size_t> depths = depths_of(formulas_, {2, 1, 3, 4});
  EXPECT_EQ(depths[sum], 2U);
  EXPECT_EQ(depths[constant], 0U);
}

TEST_F(FormulasTest, TellsAnInactiveParametersCanonicalValue) {
  const FormulaId rule = formulas_.add_unless(1, 3, Expression::parse("A / 0 == 1").root());
  std::int64_t result = 0;
  EXPECT_TRUE(formulas_.evaluate(rule, std::vector<std::int64_t>{1, 3, 0, 0}, result));
  EXPECT_EQ(result, 1);
  EXPECT_FALSE(formulas_.evaluate(rule, std::vector<std::int64_t>{1, 0, 0, 0}, result));
}

}  // namespace
}  // namespace tilewright
