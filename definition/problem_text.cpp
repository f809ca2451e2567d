#include <fmt/format.h>

#include <optional>

#include "definition/problem.hpp"

namespace tilewright {
namespace {

// Nothing if there is no computed default: a stored problem may be of older definitions.
std::optional<Value> computed(const std::optional<Expression>& usual, const Problem& problem) {
  if (!usual) return std::nullopt;
  try {
    return usual->value(scope_over({&problem.values}));
  } catch (const ExpressionError&) {
    return std::nullopt;
  }
}

// Whether it is not worth saying: what it is unless somebody asks for more.
bool is_implied(const Dimension& dimension, const Value& value, const Problem& problem) {
  if (dimension.computed_default) return value == computed(dimension.computed_default, problem);
  return dimension.default_value == dimension.minimum && value == Value{dimension.default_value};
}

}  // namespace

std::string problem_text(const Operation& operation, const Problem& problem) {
  std::string text;
  std::string before;  // the value of the last word, if that is a dimension's
  const auto add = [&](const std::string& name, const std::string& value) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  };
  for (const Dimension& dimension : operation.dimensions) {
    const auto value = problem.values.find(dimension.name);
    if (value == problem.values.end() || is_implied(dimension, value->second, problem)) continue;
    const std::string number = to_text(value->second);
    if (number == before)
      text.insert(text.size() - number.size(), dimension.name + '=');
    else
      add(dimension.name, number);
    before = number;
  }
  for (const Choice& choice : operation.choices) {
    const auto value = problem.values.find(choice.name);
    const auto implied = choice.computed_default ? computed(choice.computed_default, problem)
                                                 : Value{choice.default_label};
    if (value != problem.values.end() && value->second != implied)
      add(choice.name, to_text(value->second));
  }
  for (const Hook& hook : operation.hooks) {
    const auto value = problem.values.find(hook.name);
    if (value != problem.values.end() && value->second != Value{kNoSnippet})
      add(hook.name, to_text(value->second));
  }
  return text;
}

}  // namespace tilewright
