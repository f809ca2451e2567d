#include "db/ladder/distance.hpp"

#include <cmath>
#include <limits>

#include "definition/problem.hpp"

namespace tilewright {

std::optional<Place> Place::of(const Operation& operation, const Problem& problem,
                               const Device& device) {
  Place place;
  for (const Dimension& dimension : operation.dimensions) {
    const auto value = problem.values.find(dimension.name);
    if (value == problem.values.end()) return std::nullopt;
    if (dimension.role == ProblemRole::same) place.classes_.push_back(value->second);
    if (dimension.role != ProblemRole::distance) continue;
    const auto* size = std::get_if<std::int64_t>(&value->second);
    if (size == nullptr) return std::nullopt;
    place.logarithms_.push_back(ladder::logarithm(*size));
  }
  for (const Choice& choice : operation.choices) {
    const auto value = find_value(problem, choice);
    if (!value) return std::nullopt;
    if (choice.role == ProblemRole::same) place.classes_.push_back(*value);
  }
  const Scope scope = full_scope(problem, device);
  try {
    for (const Expression& expression : operation.classes)
      place.classes_.push_back(expression.evaluate(scope));
  } catch (const ExpressionError&) {
    return std::nullopt;
  }
  return place;
}

double Place::distance_to(const Place& other) const {
  return ladder::distance_between(logarithms_.data(), other.logarithms_.data(),
                                  static_cast<int>(logarithms_.size()));
}

double Place::distance_to(const Operation& operation, const Problem& other) const {
  double sum = 0;
  auto here = logarithms_.begin();
  for (const Dimension& dimension : operation.dimensions) {
    if (dimension.role != ProblemRole::distance) continue;
    const auto value = other.values.find(dimension.name);
    const auto* size =
        value == other.values.end() ? nullptr : std::get_if<std::int64_t>(&value->second);
    if (size == nullptr) return std::numeric_limits<double>::infinity();
    sum += std::abs(*here++ - ladder::logarithm(*size));
  }
  return sum;
}

}  // namespace tilewright
