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

constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

class RangesTest : public ::testing::Test {
 protected:
  // Two parameters A and B with these values.
  Outlook outlook(const std::string& text, const std::vector<std::int64_t>& a,
                  const std::vector<std::int64_t>& b = {1}) {
    Implementation implementation = test::plain();
    implementation.parameters = {test::parameter("A", {1}, 1), test::parameter("B", {1}, 1)};
    const Problem problem{"copy", {}};
    const Device device;
    const Bindings bindings(implementation, problem, device);
    Formulas formulas(implementation, bindings);
    const FormulaId formula = formulas.add(Expression::parse(text).root());
    const std::vector<Range> ranges = {Range::of(a), Range::of(b)};
    const Outlook seen = tilewright::outlook(formulas, formula, ranges);
    expect_true_of_all(seen, formulas, formula, text, a, b);
    return seen;
  }

 private:
  static void expect_true_of_all(Outlook seen, const Formulas& formulas, FormulaId formula,
                                 const std::string& text, const std::vector<std::int64_t>& a,
                                 const std::vector<std::int64_t>& b) {
    if (seen == Outlook::open) return;
    for (const std::int64_t left : a)
      for (const std::int64_t right : b) {
        std::int64_t result = 0;
        ASSERT_TRUE(formulas.evaluate(formula, std::vector{left, right}, result))
            << text << " for " << left << ", " << right;
        ASSERT_EQ(result != 0, seen == Outlook::always_true)
            << text << " for " << left << ", " << right;
      }
  }
};

TEST_F(RangesTest, DecidesProductsAgainstLimits) {
  EXPECT_EQ(outlook("A * B * 4 <= 100", {8, 16}, {4, 8}), Outlook::always_false);
  EXPECT_EQ(outlook("A * B * 4 <= 512", {8, 16}, {4, 8}), Outlook::always_true);
  EXPECT_EQ(outlook("A * B * 4 <= 256", {8, 16}, {4, 8}), Outlook::open);
  EXPECT_EQ(outlook("A * B >= -6", {-2, 3}, {-1, 2}), Outlook::always_true);
  EXPECT_EQ(outlook("A * B > 6", {-2, 3}, {-1, 2}), Outlook::always_false);
}

TEST_F(RangesTest, DecidesDivisibility) {
  EXPECT_EQ(outlook("A * 3 % 24 == 0", {8, 16, 40}), Outlook::always_true);
  EXPECT_EQ(outlook("A % 16 == 0", {8, 16, 40}), Outlook::open);
  EXPECT_EQ(outlook("A * 4 == 30", {1, 9}), Outlook::always_false);
  EXPECT_EQ(outlook("(A + B) % 8 != 0", {8, 16, 40}, {0, 24}), Outlook::always_false);
  EXPECT_EQ(outlook("A % 64 == A", {8, 16, 40}), Outlook::open);
  EXPECT_EQ(outlook("A % 64 > 7", {8, 16, 40}), Outlook::always_true);
  EXPECT_EQ(outlook("A % B < 7", {8, 16, 40}, {3, 7}), Outlook::always_true);
  EXPECT_EQ(outlook("A % -5 <= 0", {-7, 8, 40}), Outlook::always_true);
}

TEST_F(RangesTest, DecidesNothingThatMayHaveNoResult) {
  EXPECT_EQ(outlook("A / B >= 0", {8}, {0, 2}), Outlook::open);
  EXPECT_EQ(outlook("8 % B >= 0", {8}, {0, 2}), Outlook::open);
  EXPECT_EQ(outlook("A * A > 0", {3, kMost}), Outlook::open);
  EXPECT_EQ(outlook("A / B < 0 || 1 == 1", {kLeast, 1}, {-1}), Outlook::open);
  EXPECT_EQ(outlook("abs(A) >= 0", {kLeast, 1}), Outlook::open);
  EXPECT_EQ(outlook("ceil_div(A, B) == 4", {7, 8}, {2}), Outlook::always_true);
  EXPECT_EQ(outlook("B == 0 || A / B >= 0", {8}, {0, 2}), Outlook::open);
}

TEST_F(RangesTest, SkipsWhatLogicSkips) {
  EXPECT_EQ(outlook("A > 9 && A / B == 1", {8}, {0, 2}), Outlook::always_false);
  EXPECT_EQ(outlook("A < 9 || A / B == 1", {8}, {0, 2}), Outlook::always_true);
  EXPECT_EQ(outlook("A < 9 ? B < 3 : A / 0 == 1", {8}, {0, 2}), Outlook::always_true);
  EXPECT_EQ(outlook("A < 9 && B < 2", {8}, {0, 1}), Outlook::always_true);
  EXPECT_EQ(outlook("A < 9 && B < 1", {8}, {0, 1}), Outlook::open);
  EXPECT_EQ(outlook("!(A < 9 && B < 1)", {10, 11}, {0, 1}), Outlook::always_true);
  EXPECT_EQ(outlook("(B < 1 ? 3 : A) < 2", {8}, {0, 1}), Outlook::always_false);
  EXPECT_EQ(outlook("min(A, B) + max(A, B) == 9", {8}, {1}), Outlook::always_true);
  EXPECT_EQ(outlook("min(A, B) > 1", {8, 9}, {1}), Outlook::always_false);
}

// Every operator over ranges of all signs: where something is decided, it is so.
TEST_F(RangesTest, IsNeverWrong) {
  const std::vector<std::vector<std::int64_t>> ranges = {
      {0},       {5},         {-3},         {0, 4},         {-6, -2},       {-3, 3},
      {2, 4, 8}, {6, 12, 30}, {-9, -6, 12}, {kMost - 1, 1}, {kLeast, -1, 2}};
  int decided = 0;
  for (const char* const op : {"+", "-", "*", "/", "%", "<", "<=", ">", ">=", "==", "!="})
    for (const char* const rest : {"", " > 2", " == 6", " % 3 == 0", " + A != 0"})
      for (const auto& a : ranges)
        for (const auto& b : ranges)
          decided += outlook(std::string("(A ") + op + " B)" + rest, a, b) != Outlook::open;
  for (const char* const text :
       {"min(A, B) < 0", "max(A, B) >= 4", "abs(A) > B", "-A < B", "ceil_div(A, B) > 1",
        "A > 0 && B > 0", "A > 0 || B > 0", "A > 0 ? B > 1 : B < 1", "!A", "abs(A - B) % 3 == 0"})
    for (const auto& a : ranges)
      for (const auto& b : ranges) decided += outlook(text, a, b) != Outlook::open;
  EXPECT_GT(decided, 3000);
}

}  // namespace
}  // namespace tilewright
