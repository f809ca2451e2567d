#include "definition/expression/expression.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace tilewright {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();

const Settings& values() {
  static const Settings settings = {
      {"M", 1000},       {"N", std::int64_t{7}},    {"zero", std::int64_t{0}}, {"BIG", kMost},
      {"SMALL", kLeast}, {"boundary", "replicate"}, {"device.sm_count", 132}};
  return settings;
}

std::int64_t result(std::string_view text) {
  return Expression::parse(text).evaluate(scope_over({&values()}));
}

struct Error {
  std::string message;
  std::size_t position = 0;
};

// Of parsing or, where that succeeds, of evaluating.
Error error_of(std::string_view text) {
  try {
    result(text);
  } catch (const ExpressionError& error) {
    return {error.what(), error.position()};
  }
  return {"no error", 0};
}

void expect_error(std::string_view text, std::string_view part, std::size_t position) {
  const Error error = error_of(text);
  EXPECT_NE(error.message.find(part), std::string::npos) << text << ": " << error.message;
  EXPECT_EQ(error.position, position) << text << ": " << error.message;
}

TEST(Expression, FollowsPrecedence) {
  EXPECT_EQ(result("1 + 2 * 3"), 7);
  EXPECT_EQ(result("(1 + 2) * 3"), 9);
  EXPECT_EQ(result("10 - 3 - 2"), 5);
  EXPECT_EQ(result("100 / 10 / 2"), 5);
  EXPECT_EQ(result("-2 * -3"), 6);
  EXPECT_EQ(result("- N + 1"), -6);
  EXPECT_EQ(result("!zero + 1"), 2);
  EXPECT_EQ(result("1 + 1 == 2 && 3 > 2 || 1 / zero"), 1);
  EXPECT_EQ(result("0 && 0 || 1"), 1);
  EXPECT_EQ(result("1 || 0 && 0"), 1);
  EXPECT_EQ(result("1 ? 2 : 0 ? 3 : 4"), 2);
  EXPECT_EQ(result("0 ? 2 : 0 ? 3 : 4"), 4);
  EXPECT_EQ(result("M > 500 ? M : N"), 1000);
}

TEST(Expression, DividesTowardsMinusInfinity) {
  EXPECT_EQ(result("7 / 2"), 3);
  EXPECT_EQ(result("-7 / 2"), -4);
  EXPECT_EQ(result("7 / -2"), -4);
  EXPECT_EQ(result("-7 / -2"), 3);
  EXPECT_EQ(result("-8 / 2"), -4);
  EXPECT_EQ(result("7 % 3"), 1);
  EXPECT_EQ(result("-7 % 3"), 2);
  EXPECT_EQ(result("7 % -3"), -2);
  EXPECT_EQ(result("-7 % -3"), -1);
  EXPECT_EQ(result("SMALL % -1"), 0);
}

TEST(Expression, CallsFunctions) {
  EXPECT_EQ(result("min(3, 1, 2)"), 1);
  EXPECT_EQ(result("max(3, 1, M)"), 1000);
  EXPECT_EQ(result("ceil_div(M, 32)"), 32);
  EXPECT_EQ(result("ceil_div(-7, 2)"), -3);
  EXPECT_EQ(result("ceil_div(7, -2)"), -3);
  EXPECT_EQ(result("ceil_div(-7, -2)"), 4);
  EXPECT_EQ(result("ceil_div(8, 2)"), 4);
  EXPECT_EQ(result("abs(3 - 10)"), 7);
}

TEST(Expression, ComparesNumbersAndLabels) {
  EXPECT_EQ(result("M != N"), 1);
  EXPECT_EQ(result("M <= 1000"), 1);
  EXPECT_EQ(result("M >= 1001"), 0);
  EXPECT_EQ(result("boundary == \"replicate\""), 1);
  EXPECT_EQ(result("boundary == 'zero'"), 0);
  EXPECT_EQ(result("'zero' != boundary"), 1);
  EXPECT_EQ(result("(M > 0 ? boundary : 'zero') == 'replicate'"), 1);
  EXPECT_EQ(result("device.sm_count * 2"), 264);
}

TEST(Expression, SkipsWhatItDoesNotNeed) {
  EXPECT_EQ(result("zero != 0 && M % zero == 0"), 0);
  EXPECT_EQ(result("zero == 0 || M % zero == 0"), 1);
  EXPECT_EQ(result("zero ? 1 / zero : 5"), 5);
  EXPECT_EQ(result("1 ? 5 : missing"), 5);
}

TEST(Expression, ReachesBothEndsOf64Bits) {
  EXPECT_EQ(result("9223372036854775807"), kMost);
  EXPECT_EQ(result("-9223372036854775808"), kLeast);
  expect_error("9223372036854775808", "does not fit", 0);
  expect_error("1 + 99999999999999999999", "does not fit", 4);
}

TEST(Expression, ReportsOverflowWithItsNumbers) {
  expect_error("BIG + 1", "9223372036854775807 + 1 does not fit", 4);
  expect_error("SMALL - 1", "does not fit", 6);
  expect_error("M * BIG", "1000 * 9223372036854775807", 2);
  expect_error("-SMALL", "does not fit", 0);
  expect_error("abs(SMALL)", "does not fit", 0);
  expect_error("SMALL / -1", "does not fit", 6);
  expect_error("ceil_div(SMALL, -1)", "does not fit", 0);
}

TEST(Expression, ReportsDivisionByZero) {
  expect_error("M / zero", "division of 1000 by zero", 2);
  expect_error("M % zero", "by zero", 2);
  expect_error("1 + ceil_div(M, zero)", "by zero", 4);
}

TEST(Expression, ReportsWhatHasNoNumber) {
  expect_error("1 + missing", "unknown name 'missing'", 4);
  expect_error("boundary", "'boundary' is the label 'replicate' where a number", 0);
  expect_error("1 + 'zero'", "the label 'zero' where a number", 4);
  expect_error("boundary == 1", "label 'replicate' is compared with the number 1", 9);
  expect_error("boundary < 'zero'", "where a number is needed", 0);
}

TEST(Expression, SaysWhatItExpected) {
  expect_error("", "found the end", 0);
  expect_error("   ", "found the end", 3);
  expect_error("1 +", "expected a number, a name", 3);
  expect_error("1 2", "expected an operator or the end, found '2'", 2);
  expect_error("(1 + 2", "expected ')', found the end", 6);
  expect_error("1 + )", "found ')'", 4);
  expect_error("M ? 1", "expected ':'", 5);
  expect_error("min(1 2)", "expected ',' or ')'", 6);
  expect_error("M = 3", "equality is '=='", 2);
  expect_error("M & 1", "logical and is '&&'", 2);
  expect_error("M and N", "logical and is '&&'", 2);
  expect_error("1.5", "numbers are whole", 0);
  expect_error("2 * 1e3", "numbers are whole", 4);
  expect_error("'open", "no closing '", 0);
  expect_error("M ^ 2", "unexpected character '^'", 2);
  expect_error("M \xC3\x97 2", "unexpected byte 0xc3", 2);
}

TEST(Expression, ChecksCalls) {
  expect_error("ceildiv(1, 2)", "did you mean 'ceil_div'", 0);
  expect_error("ceil_div(1)", "takes 2 arguments, not 1", 0);
  expect_error("abs()", "takes 1 argument, not 0", 0);
  expect_error("min(1)", "at least 2", 0);
}

TEST(Expression, DoesNotChainComparisons) {
  expect_error("1 < N < 3", "comparisons do not chain", 6);
  expect_error("1 == N == 3", "comparisons do not chain", 7);
  EXPECT_EQ(result("(1 < N) == 1"), 1);
}

TEST(Expression, RefusesHostileNesting) {
  EXPECT_EQ(result(std::string(150, '(') + "1" + std::string(150, ')')), 1);
  for (const char* opening : {"(", "-", "!", "1 ? ", "1 ? 1 : ", "abs("}) {
    std::string text;
    for (int i = 0; i < 400; ++i) text += opening;
    EXPECT_NE(error_of(text + "N").message.find("nested more than"), std::string::npos) << opening;
  }
  EXPECT_NE(error_of(std::string(1'000'000, '(')).message.find("at most"), std::string::npos);
}

TEST(Expression, EvaluatesTheLongestChain) {
  std::string text = "1";
  while (text.size() + 2 <= 4096) text += "+1";
  EXPECT_EQ(result(text), 2048);
}

TEST(Expression, TellsItsNamesAndText) {
  const Expression expression = Expression::parse("M * device.sm_count + (M > 1 ? a : 'label')");
  EXPECT_EQ(expression.names(), (std::set<std::string>{"M", "a", "device.sm_count"}));
  EXPECT_EQ(expression.text(), "M * device.sm_count + (M > 1 ? a : 'label')");
  EXPECT_EQ(expression.root().op, Operator::add);
}

TEST(Expression, WritesTermsOut) {
  Terms terms;
  terms.emplace("twice", Expression::parse("2 * M"));
  terms.emplace("sum", Expression::parse("twice + N", terms));
  const Expression found = Expression::parse("sum * 3 - max(twice, sum)", terms);
  EXPECT_EQ(found.text(), "((2 * M) + N) * 3 - max((2 * M), ((2 * M) + N))");
  EXPECT_EQ(found.evaluate(scope_over({&values()})), 2 * 2007);
  EXPECT_EQ(Expression::parse(found.text()).evaluate(scope_over({&values()})), 2 * 2007);
  EXPECT_EQ(found.names(), (std::set<std::string>{"M", "N"}));
  EXPECT_EQ(Expression::parse("M / N", terms).text(), "M / N");
}

TEST(Expression, PointsAtATermThatHasNoResult) {
  const Terms terms = {{"quotient", Expression::parse("1 + M / zero")}};
  try {
    (void)Expression::parse("3 * quotient", terms).evaluate(scope_over({&values()}));
    FAIL();
  } catch (const ExpressionError& error) {
    EXPECT_EQ(error.position(), 4U);
  }
}

TEST(Expression, KeepsItsLimitsWithTerms) {
  Terms terms = {{"t0", Expression::parse("M + N")}};
  for (int i = 1; i < 9; ++i) {
    const std::string before = "t" + std::to_string(i - 1);
    terms.emplace("t" + std::to_string(i), Expression::parse(before + " + " + before, terms));
  }
  try {
    (void)Expression::parse("t8 + t8 + t8", terms);
    FAIL();
  } catch (const ExpressionError& error) {
    EXPECT_EQ(std::string(error.what()), "longer than 4096 characters with its terms written out");
    EXPECT_GT(error.position(), 0U);
  }
  Terms deep = {{"d", Expression::parse(std::string(150, '(') + "M" + std::string(150, ')'))}};
  try {
    (void)Expression::parse(std::string(100, '(') + "d" + std::string(100, ')'), deep);
    FAIL();
  } catch (const ExpressionError& error) {
    EXPECT_EQ(std::string(error.what()), "with its terms written out: nested more than 200 deep");
  }
  EXPECT_THROW((void)Expression::parse("size_of(t0)", terms), ExpressionError);
}

TEST(Expression, HoldsConstants) {
  EXPECT_EQ(Expression().evaluate(Scope()), 0);
  EXPECT_EQ(Expression(-5).evaluate(Scope()), -5);
  EXPECT_EQ(Expression(-5).text(), "-5");
  EXPECT_THROW(static_cast<void>(Expression::parse("M").evaluate(Scope())), ExpressionError);
}

TEST(ScopeOver, PrefersEarlierSettings) {
  const Settings first = {{"A", 1}};
  const Settings second = {{"A", 2}, {"B", 3}};
  const Scope scope = scope_over({&first, &second});
  EXPECT_EQ(scope("A"), Value{std::int64_t{1}});
  EXPECT_EQ(scope("B"), Value{std::int64_t{3}});
  EXPECT_EQ(scope("C"), std::nullopt);
}

}  // namespace
}  // namespace tilewright
