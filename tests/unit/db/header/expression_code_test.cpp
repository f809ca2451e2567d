#include "db/header/cpp_code.hpp"

#include <gtest/gtest.h>

namespace tilewright {
namespace {

std::string code_of(const std::string& text, LabelTable& labels) {
  return expression_code(
      Expression::parse(text).root(), [](const std::string& name) { return '<' + name + '>'; },
      labels);
}

std::string code_of(const std::string& text) {
  LabelTable labels;
  return code_of(text, labels);
}

TEST(ExpressionCode, CallsCheckedArithmetic) {
  EXPECT_EQ(code_of("a + b * 2"), "e.add(<a>, e.multiply(<b>, 2LL))");
  EXPECT_EQ(code_of("-a % 4"), "e.modulo(e.negate(<a>), 4LL)");
  EXPECT_EQ(code_of("max(a, b, 1)"), "e.maximum(e.maximum(<a>, <b>), 1LL)");
}

TEST(ExpressionCode, SkipsWhatOperatorsSkip) {
  EXPECT_EQ(code_of("a == 0 || b / a > 1"),
            "((<a> == 0LL ? 1LL : 0LL) != 0 || (e.floor_divide(<b>, <a>) > 1LL ? 1LL : 0LL) != 0 ? "
            "1LL : 0LL)");
  EXPECT_EQ(code_of("a ? 1 : 2"), "(<a> != 0 ? 1LL : 2LL)");
  EXPECT_EQ(code_of("!a"), "(<a> == 0 ? 1LL : 0LL)");
}

TEST(ExpressionCode, EqualLabelsAreEqualNumbers) {
  LabelTable labels;
  EXPECT_EQ(code_of("a == 'yes'", labels), "(<a> == 0LL ? 1LL : 0LL)");
  EXPECT_EQ(code_of("b != 'no' && c == 'yes'", labels),
            "((<b> != 1LL ? 1LL : 0LL) != 0 && (<c> == 0LL ? 1LL : 0LL) != 0 ? 1LL : 0LL)");
  EXPECT_EQ(labels.labels(), (std::vector<std::string>{"yes", "no"}));
}

TEST(ExpressionCode, LiteralsAreExact) {
  EXPECT_EQ(number_literal(INT64_MIN), "(-9223372036854775807LL - 1)");
  EXPECT_EQ(number_literal(-5), "(-5LL)");
}

TEST(ExpressionCode, NamesThatAreTakenGetATail) {
  for (const char* word : {"static_cast", "requires", "not_eq", "devices", "Device", "linux"})
    EXPECT_EQ(cpp_name(word), word + std::string("_"));
  EXPECT_EQ(cpp_name("K"), "K");
  EXPECT_EQ(cpp_name("3d"), "_3d");
}

}  // namespace
}  // namespace tilewright
