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

// An output is right where |output − expected| ≤ scale · (epsilon · (size · reduction + 4 ·
// |expected|) + rounding · |expected| + least + cut · (size · √reduction + |expected|)), with the
// Precision of its type. `absolute` replaces what does not grow with |expected|, and `relative` the
// factor of |expected|. An integer is right where the difference is at most `tolerance`. If sums
// are no integers, it is right as well where it is the nearest one to a value within their
// tolerance.
struct Rules {
  double reduction;
  double scale;
  bool reduced;                      // outputs are added up first
  bool expected_is_rounded = false;  // to the output's type, as what a reference kernel writes
  double sums = -1;                  // their machine epsilon; negative: as in precision_of()
  double tolerance = 0;
  double mismatches = 0;  // the share of the compared elements that may be wrong
  double cut = 0;         // the share of an input that may be lost before it is multiplied
  double absolute = -1;   // this and the next: what the author allows; negative: as above
  double relative = -1;
  double size = 1;  // of the terms: size_of_terms()
};

// How many of so many compared elements may be wrong.
inline std::int64_t most_mismatches(const Rules& rules, std::int64_t count) {
  constexpr double kUp = 1 + 1e-12;  // 0.29 · 100 is below 29
  return static_cast<std::int64_t>(rules.mismatches * kUp * static_cast<double>(count));
}

// What an element of an output should be: a Value is float64, complex, or the output's integer.
template <class Value>
struct Right {
  std::int64_t element;
  Value value;
};
template <class Value>
Right(std::int64_t, Value) -> Right<Value>;

// What an element that a reference kernel wrote is compared as: nothing of it is lost.
template <class T>
auto exact_value(T element) {
  if constexpr (std::is_integral<T>::value)
    return element;
  else if constexpr (std::is_same<T, typename Parts<T>::Part>::value)
    return static_cast<double>(element);
  else
    return std::complex<double>(element);
}

struct Difference {
  double error;
  double allowed;
  bool is_wrong() const { return !(error <= allowed); }
  double ratio() const {
    if (error == 0) return 0;
    return allowed > 0 ? std::min(error / allowed, kUnbounded) : kUnbounded;
  }
};

// The distance from 1 to the next value of T or of its parts; 0 for integers.
template <class T>
double machine_epsilon() {
  using Part = typename Parts<T>::Part;
  if (std::is_integral<T>::value) return 0;
  double epsilon = 1;
  while (static_cast<double>(static_cast<Part>(1 + epsilon / 2)) > 1) epsilon /= 2;
  return epsilon;
}

// How exact an output of one type can be. Sums have the type that the rules say, or else that of
// the output, but at least float32's 24 bits. An output with fewer bits than the sums is rounded
// once more, as is an expected value that has its type.
struct Precision {
  double epsilon;   // of the sums; 0: they are exact
  double rounding;  // share of the value that the roundings change at most
  double least;     // what they change at most where values have no more bits
};

template <class T>
Precision precision_of(const Rules& rules) {
  using Part = typename Parts<T>::Part;
  constexpr double kFloat32 = 0x1p-23;
  const double own = machine_epsilon<T>();
  const double sums = rules.sums < 0 ? std::min(own, kFloat32) : rules.sums;
  if (rules.reduced) return {std::max(own, sums), 0, 0};
  const double halves = rules.expected_is_rounded ? 1 : 0.5;
  if (std::is_integral<T>::value) return {sums, 0, sums > 0 ? halves : 0};
  if (own <= sums) return {sums, 0, 0};
  double least = 1;
  while (static_cast<double>(static_cast<Part>(least / 2)) > 0) least /= 2;
  return {sums, halves * own, halves * least};
}

template <class Value>
double distance(Value a, Value b) {
  if constexpr (std::is_integral<Value>::value) {
    using Bits = typename std::make_unsigned<Value>::type;
    const auto apart = a < b ? static_cast<Bits>(b) - static_cast<Bits>(a)
                             : static_cast<Bits>(a) - static_cast<Bits>(b);
    return static_cast<double>(static_cast<Bits>(apart));
  } else {
    return std::abs(a - b);
  }
}

template <class Value>
double absolute(Value value) {
  if constexpr (std::is_integral<Value>::value)
    return std::abs(static_cast<double>(value));
  else
    return std::abs(value);
}

// How large the terms are that an output's elements were added up from: as the largest element, at
// most 1. Few elements may all be small because their terms cancel. Then, and if all elements are
// 0, it is 1.
template <class Expected>
double size_of_terms(const Expected& expected, std::int64_t count) {
  constexpr std::int64_t kFew = 32;
  if (count < kFew) return 1;
  double largest = 0;
  for (std::int64_t i = 0; i < count && largest < 1; ++i) {
    const double size = absolute(expected(i).value);
    if (std::isfinite(size)) largest = std::max(largest, size);
  }
  return largest > 0 ? std::min(largest, 1.0) : 1;
}

// What an output of one type may differ by: least, or fixed + share · |expected| if that is more.
struct Allowance {
  double fixed;
  double share;
  double least = 0;
};

template <class T>
Allowance allowance_of(const Precision& precision, const Rules& rules) {
  const double by_terms =
      rules.size * (precision.epsilon * rules.reduction + rules.cut * std::sqrt(rules.reduction));
  const double by_value = 4 * precision.epsilon + rules.cut;
  if (std::is_integral<T>::value && precision.epsilon == 0) return {0, 0, rules.tolerance};
  Allowance all = {rules.absolute, rules.relative};
  if (rules.absolute < 0) all.fixed = rules.scale * by_terms;
  if (rules.relative < 0) all.share = rules.scale * by_value;
  if (std::is_integral<T>::value) {
    all.fixed += precision.least;
    all.least = rules.tolerance;
  } else {
    if (rules.absolute < 0) all.fixed += rules.scale * precision.least;
    if (rules.relative < 0) all.share += rules.scale * precision.rounding;
  }
  return all;
}

// T is the type of the output.
template <class T, class Value>
Difference difference(Value got, Value expected, const Allowance& allowance) {
  const double size = absolute(expected);
  Difference result = {distance(got, expected),
                       std::max(allowance.least, allowance.fixed + allowance.share * size)};
  if (!std::is_integral<T>::value && std::isinf(size) && got == expected) result.error = 0;
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
  std::int64_t place = 0;  // this and the next three: of first_wrong; among what is compared
  std::complex<double> got = 0;
  std::complex<double> expected = 0;
  double allowed = 0;

  bool is_right() const { return first_wrong == std::numeric_limits<std::int64_t>::max(); }

  template <class Value>
  void add(Value value, const Right<Value>& right, const Difference& diff, std::int64_t at) {
    worst_error = std::max(worst_error, diff.error);
    worst_ratio = std::max(worst_ratio, diff.ratio());
    if (!diff.is_wrong() || wrong++ > 0) return;
    first_wrong = right.element;
    place = at;
    got = to_complex(value);
    expected = to_complex(right.value);
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

 private:
  static std::complex<double> to_complex(std::complex<double> value) { return value; }
  template <class Value>
  static std::complex<double> to_complex(Value value) {
    return static_cast<double>(value);
  }
};

// What an output of T can be at best where `wanted` is right: infinity beyond its greatest value,
// if that is what it is, or else with 8 bits, and for integers that are rounded, the greatest
// value.
template <class T, class Value>
Value within(Value wanted, Value got, const Precision& precision) {
  if constexpr (!std::is_same<Value, double>::value) {
    return wanted;
  } else if constexpr (std::is_integral<T>::value) {
    constexpr auto kLowest = static_cast<double>(std::numeric_limits<T>::lowest());
    return precision.epsilon == 0 ? wanted : std::clamp(wanted, kLowest, greatest<T>());
  } else {
    if (std::isinf(got) && got == static_cast<double>(static_cast<T>(wanted))) return got;
    return sizeof(T) > 1 ? wanted : std::clamp(wanted, -greatest<T>(), greatest<T>());
  }
}

// Compares the elements that `expected` names: expected(i) is a Right, for i from `first` up to
// `last`.
template <class T, class Expected>
Findings compare_elements(const std::uint8_t* output, const Expected& expected, std::int64_t first,
                          std::int64_t last, const Rules& rules) {
  const Precision precision = precision_of<T>(rules);
  const Allowance allowance = allowance_of<T>(precision, rules);
  Findings findings;
  for (std::int64_t i = first; i < last; ++i) {
    const auto right = expected(i);
    using Value = std::remove_const_t<decltype(right.value)>;
    const auto got = static_cast<Value>(load_element<T>(output, right.element));
    const Value wanted = within<T>(right.value, got, precision);
    findings.add(got, right, difference<T>(got, wanted, allowance), i);
  }
  return findings;
}

// Compares the sums over those elements.
template <class T, class Expected>
Findings compare_sums(const std::uint8_t* output, const Expected& expected, std::int64_t count,
                      const Rules& rules) {
  using Value = std::remove_const_t<decltype(expected(0).value)>;
  using Sum = std::conditional_t<std::is_integral<Value>::value, double, Value>;
  Sum got = 0;
  Sum sum = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto right = expected(i);
    got += static_cast<Sum>(load_element<T>(output, right.element));
    sum += static_cast<Sum>(right.value);
  }
  const Allowance allowance = allowance_of<T>(precision_of<T>(rules), rules);
  Findings findings;
  findings.add(got, Right<Sum>{0, sum}, difference<T>(got, sum, allowance), 0);
  return findings;
}

}  // namespace tilewright::elements
