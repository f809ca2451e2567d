#include "campaign/texts.hpp"

#include <fmt/format.h>

#include <optional>

#include "definition/problem.hpp"

namespace tilewright {
std::string three_digits(double value) {
  if (value >= 100) return fmt::format("{:.0f}", value);
  if (value >= 10) return fmt::format("{:.1f}", value);
  return fmt::format("{:.2f}", value);
}

std::string bytes_text(std::int64_t bytes) {
  const auto value = static_cast<double>(bytes);
  if (bytes < 1024) return fmt::format("{} B", bytes);
  if (bytes < 1 << 20) return three_digits(value / 1024) + " KiB";
  if (bytes < 1 << 30) return three_digits(value / (1 << 20)) + " MiB";
  return three_digits(value / (1 << 30)) + " GiB";
}

// Nothing if there is no computed default: a stored problem may be of older definitions.
static std::optional<Value> computed(const std::optional<Expression>& usual,
                                     const Problem& problem) {
  if (!usual) return std::nullopt;
  try {
    return usual->value(scope_over({&problem.values}));
  } catch (const ExpressionError&) {
    return std::nullopt;
  }
}

std::string problem_text(const Operation& operation, const Problem& problem) {
  std::string text;
  const auto add = [&](const std::string& name, const std::optional<Value>& implied) {
    const auto value = problem.values.find(name);
    if (value == problem.values.end() || value->second == implied) return;
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, to_text(value->second));
  };
  for (const Dimension& dimension : operation.dimensions)
    add(dimension.name, computed(dimension.computed_default, problem));
  for (const Choice& choice : operation.choices)
    add(choice.name, choice.computed_default ? computed(choice.computed_default, problem)
                                             : Value{choice.default_label});
  for (const Hook& hook : operation.hooks) add(hook.name, Value{kNoSnippet});
  return text;
}

}  // namespace tilewright
