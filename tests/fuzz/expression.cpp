#include "definition/expression/expression.hpp"

#include <map>
#include <optional>
#include <string>

#include "tests/fuzz/target.hpp"

using namespace tilewright;

namespace {

const std::map<Operator, std::string> kBetween = {
    {Operator::add, "+"},          {Operator::subtract, "-"},       {Operator::multiply, "*"},
    {Operator::floor_divide, "/"}, {Operator::modulo, "%"},         {Operator::equal, "=="},
    {Operator::not_equal, "!="},   {Operator::less, "<"},           {Operator::less_equal, "<="},
    {Operator::greater, ">"},      {Operator::greater_equal, ">="}, {Operator::logical_and, "&&"},
    {Operator::logical_or, "||"}};
const std::map<Operator, std::string> kCalls = {{Operator::minimum, "min"},
                                                {Operator::maximum, "max"},
                                                {Operator::ceil_div, "ceil_div"},
                                                {Operator::absolute, "abs"},
                                                {Operator::size_of, "size_of"}};

// The tree as text, every part in parentheses.
std::string text_of(const ExpressionNode& node) {
  const auto part = [&node](std::size_t i) { return "(" + text_of(node.children.at(i)) + ")"; };
  switch (node.op) {
    case Operator::number:
      return std::to_string(node.number);
    case Operator::label: {
      const char quote = node.text.find('\'') == std::string::npos ? '\'' : '"';
      return quote + node.text + quote;
    }
    case Operator::name:
      return node.text;
    case Operator::negate:
      return "-" + part(0);
    case Operator::logical_not:
      return "!" + part(0);
    case Operator::conditional:
      return part(0) + " ? " + part(1) + " : " + part(2);
    default:
      break;
  }
  if (const auto between = kBetween.find(node.op); between != kBetween.end())
    return part(0) + " " + between->second + " " + part(1);
  std::string text = kCalls.at(node.op) + "(";
  for (std::size_t i = 0; i < node.children.size(); ++i) text += (i == 0 ? "" : ", ") + part(i);
  return text + ")";
}

std::optional<std::int64_t> value_of(const Expression& expression) {
  try {
    return expression.evaluate([](std::string_view name) -> std::optional<Value> {
      if (name.size() > 8) return std::nullopt;
      if (name.starts_with('l')) return Value(std::string("label"));
      return Value(static_cast<std::int64_t>(name.size()));
    });
  } catch (const ExpressionError&) {
    return std::nullopt;
  }
}

}  // namespace

TILEWRIGHT_FUZZ_TARGET(expression) {
  try {
    const Expression parsed = Expression::parse(fuzz::text_of(data, size));
    const std::string printed = text_of(parsed.root());
    if (printed.size() > 2000) return 0;  // the parentheses may nest deeper than a text may
    const Expression again = Expression::parse(printed);
    fuzz::expect(text_of(again.root()) == printed, "parse, print, parse gives the same tree");
    fuzz::expect(value_of(again) == value_of(parsed), "and the same value");
  } catch (const ExpressionError&) {
  }
  return 0;
}
