// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "db/ladder/distance.hpp"

#include <algorithm>
#include <cmath>

#include "definition/problem.hpp"

namespace tilewright {
namespace {

double apart(std::int64_t one, std::int64_t other) {
  return std::abs(logarithm(one) - logarithm(other));
}

}  // namespace

double logarithm(std::int64_t size) {
  return std::log(static_cast<double>(std::max<std::int64_t>(size, 1)));
}

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
    place.logarithms_.push_back(logarithm(*size));
  }
  for (const Choice& choice : operation.choices) {
    const auto value = problem.values.find(choice.name);
    if (value == problem.values.end()) return std::nullopt;
    if (choice.role == ProblemRole::same) place.classes_.push_back(value->second);
  }
  const Configuration none;
  const Scope scope = full_scope(problem, none, device);
  try {
    for (const Expression& expression : operation.classes)
      place.classes_.push_back(expression.evaluate(scope));
  } catch (const ExpressionError&) {
    return std::nullopt;
  }
  return place;
}

double Place::distance_to(const Place& other) const {
  double sum = 0;
  for (std::size_t i = 0; i < logarithms_.size(); ++i)
    sum += std::abs(logarithms_[i] - other.logarithms_[i]);
  return sum;
}

std::optional<double> distance_between(const Device& one, const Device& other) {
  if (one == other) return 0;
  const bool are_related = one.kind == other.kind && one.compute_capability != 0 &&
                           one.compute_capability == other.compute_capability;
  if (!are_related) return std::nullopt;
  return apart(one.sm_count, other.sm_count) + apart(one.l2_bytes, other.l2_bytes) +
         apart(one.shared_bytes_per_sm, other.shared_bytes_per_sm);
}

std::optional<double> distance_between(const Standpoint& one, const Standpoint& other,
                                       double farthest) {
  if (!one.place.is_same_class(other.place)) return std::nullopt;
  const auto between = distance_between(one.device, other.device);
  if (!between) return std::nullopt;
  const double distance = *between + one.place.distance_to(other.place);
  return distance > farthest ? std::nullopt : std::optional(distance);
}

}  // namespace tilewright
