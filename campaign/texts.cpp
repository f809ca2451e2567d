#include "campaign/texts.hpp"

#include <fmt/format.h>

#include "definition/problem.hpp"

namespace tilewright {
namespace {

// Whether the value is implied: a computed default, a choice's default, no snippet.
bool is_usual(const Dimension& dimension, const Value& value, const Problem& problem) {
  return dimension.computed_default &&
         value == Value{evaluate(*dimension.computed_default, scope_over({&problem.values}),
                                 dimension.name)};
}

bool is_usual(const Choice& choice, const Value& value, const Problem& /*problem*/) {
  return value == Value{choice.default_label};
}

bool is_usual(const Hook& /*hook*/, const Value& value, const Problem& /*problem*/) {
  return value == Value{kNoSnippet};
}

}  // namespace

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

std::string problem_text(const Operation& operation, const Problem& problem) {
  std::string text;
  const auto add = [&](const auto& item) {
    const auto value = problem.values.find(item.name);
    if (value == problem.values.end() || is_usual(item, value->second, problem)) return;
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", item.name, to_text(value->second));
  };
  for (const Dimension& dimension : operation.dimensions) add(dimension);
  for (const Choice& choice : operation.choices) add(choice);
  for (const Hook& hook : operation.hooks) add(hook);
  return text;
}

}  // namespace tilewright
