#include "campaign/texts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "definition/problem.hpp"

namespace tilewright {
nlohmann::json json_of_value(const Value& value) {
  return std::visit([](const auto& plain) { return nlohmann::json(plain); }, value);
}

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

std::string cause_of(const std::string& message) {
  // NVRTC, nvcc and g++, ptxas, linkers.
  constexpr std::array kErrors = {"error:", "error :", "fatal   :", "fatal error", "undefined "};
  const auto line_at = [&](std::size_t place) {
    const std::size_t begin = message.rfind('\n', place) + 1;  // npos + 1 is 0
    return message.substr(begin, message.find('\n', place) - begin);
  };
  std::size_t first = std::string::npos;
  for (const char* error : kErrors) first = std::min(first, message.find(error));
  return line_at(first == std::string::npos ? 0 : first);
}

std::string cause_of(const Trial& trial) {
  return trial.outcome == Outcome::compile_failed
             ? cause_of(trial.message)
             : trial.message.substr(0, trial.message.find('\n'));
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

// Whether it is not worth saying: what it is unless somebody asks for more.
static bool is_implied(const Dimension& dimension, const Value& value, const Problem& problem) {
  if (dimension.computed_default) return value == computed(dimension.computed_default, problem);
  return dimension.default_value == dimension.minimum && value == Value{dimension.default_value};
}

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
