// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include "tuner/verify/fill_elements.h"

// How outputs are compared. C++17 without a list of element types, like fill_elements.h.

namespace tilewright::elements {

// Every output byte is set to this before a verified launch: NaN as a float, −1 as an integer.
inline constexpr std::uint8_t kPoison = 0xFF;

// Guard zones on both sides of every device buffer, bytes, and what they are filled with.
inline constexpr std::int64_t kGuardBytes = 4096;
inline constexpr std::uint8_t kGuardByte = 0xA5;

// Stands for an error without bound, because JSON has no infinity.
inline constexpr double kUnbounded = std::numeric_limits<double>::max();

// An output is right where |output − expected| ≤ scale · (epsilon · (reduction + 4 · |expected|) +
// rounding · |expected| + least), with the Precision of its type.
struct Rules {
  double reduction;
  double scale;
  bool reduced;                      // outputs are added up first
  bool expected_is_rounded = false;  // to the output's type, as what a reference kernel writes
};

// What an element of an output should be.
struct Right {
  std::int64_t element;
  double value;
};

struct Difference {
  double error;
  double allowed;
  bool is_wrong() const { return !(error <= allowed); }
  double ratio() const {
    if (error == 0) return 0;
    return allowed > 0 ? std::min(error / allowed, kUnbounded) : kUnbounded;
  }
};

// The distance from 1 to the next value of T; 0 for integers, which must be equal.
template <class T>
double machine_epsilon() {
  if (std::is_integral<T>::value) return 0;
  double epsilon = 1;
  while (static_cast<double>(static_cast<T>(1 + epsilon / 2)) > 1) epsilon /= 2;
  return epsilon;
}

// How exact an output of one type can be. Of types with less than float32's 24 bits, sums are those
// of float32, and the output is rounded once more, as is an expected value that has its type.
struct Precision {
  double epsilon;   // of the sums
  double rounding;  // share of the value that the roundings change at most
  double least;     // what they change at most where values have no more bits
};

template <class T>
Precision precision_of(const Rules& rules) {
  constexpr double kFloat32 = 0x1p-23;
  const double epsilon = machine_epsilon<T>();
  if (epsilon <= kFloat32 || rules.reduced) return {epsilon, 0, 0};
  double least = 1;
  while (static_cast<double>(static_cast<T>(least / 2)) > 0) least /= 2;
  const double halves = rules.expected_is_rounded ? 1 : 0.5;
  return {kFloat32, halves * epsilon, halves * least};
}

inline Difference difference(double got, double expected, const Precision& precision,
                             const Rules& rules) {
  const double size = std::abs(expected);
  Difference result = {std::abs(got - expected),
                       rules.scale * (precision.epsilon * (rules.reduction + 4 * size) +
                                      precision.rounding * size + precision.least)};
  if (std::isinf(expected) && got == expected) result.error = 0;
  if (!std::isfinite(result.error)) result.error = kUnbounded;
  if (!std::isfinite(result.allowed)) result.allowed = 0;
  return result;
}

// The findings in a part of an output. Parts can be merged in any order.
struct Findings {
  double worst_error = 0;
  double worst_ratio = 0;
  std::int64_t wrong = 0;
  std::int64_t first_wrong = std::numeric_limits<std::int64_t>::max();
  double got = 0;  // this and the next two: of first_wrong
  double expected = 0;
  double allowed = 0;

  bool is_right() const { return first_wrong == std::numeric_limits<std::int64_t>::max(); }

  void add(double value, const Right& right, const Difference& diff) {
    worst_error = std::max(worst_error, diff.error);
    worst_ratio = std::max(worst_ratio, diff.ratio());
    if (!diff.is_wrong() || wrong++ > 0) return;
    first_wrong = right.element;
    got = value;
    expected = right.value;
    allowed = diff.allowed;
  }
  void merge(const Findings& other) {
    const Findings& first = other.first_wrong < first_wrong ? other : *this;
    Findings all = first;
    all.worst_error = std::max(worst_error, other.worst_error);
    all.worst_ratio = std::max(worst_ratio, other.worst_ratio);
    all.wrong = wrong + other.wrong;
    *this = all;
  }
};

// Compares the elements that `expected` names: expected(i) is a Right, for i from `first` up to
// `last`.
template <class T, class Expected>
Findings compare_elements(const std::uint8_t* output, const Expected& expected, std::int64_t first,
                          std::int64_t last, const Rules& rules) {
  const Precision precision = precision_of<T>(rules);
  Findings findings;
  for (std::int64_t i = first; i < last; ++i) {
    const Right right = expected(i);
    const auto got = static_cast<double>(load_element<T>(output, right.element));
    // What is beyond the type's greatest value is right as infinity.
    const bool is_beyond =
        std::isinf(got) && got == static_cast<double>(static_cast<T>(right.value));
    findings.add(got, right, difference(got, is_beyond ? got : right.value, precision, rules));
  }
  return findings;
}

// Compares the sums over those elements.
template <class T, class Expected>
Findings compare_sums(const std::uint8_t* output, const Expected& expected, std::int64_t count,
                      const Rules& rules) {
  double got = 0;
  double sum = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const Right right = expected(i);
    got += static_cast<double>(load_element<T>(output, right.element));
    sum += right.value;
  }
  Findings findings;
  findings.add(got, {0, sum}, difference(got, sum, precision_of<T>(rules), rules));
  return findings;
}

}  // namespace tilewright::elements
