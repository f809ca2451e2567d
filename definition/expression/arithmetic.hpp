// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "definition/expression/expression.hpp"

namespace tilewright {

// a / b rounded towards minus infinity, and towards plus infinity. False where b is zero or the
// quotient does not fit into 64 bits.
inline bool floor_divide(std::int64_t a, std::int64_t b, std::int64_t& result) {
  if (b == 0 || (b == -1 && a == std::numeric_limits<std::int64_t>::min())) return false;
  result = a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
  return true;
}

inline bool ceil_divide(std::int64_t a, std::int64_t b, std::int64_t& result) {
  if (b == 0 || (b == -1 && a == std::numeric_limits<std::int64_t>::min())) return false;
  result = a / b + ((a % b != 0 && (a < 0) == (b < 0)) ? 1 : 0);
  return true;
}

// With the divisor's sign. False where b is zero.
inline bool floor_modulo(std::int64_t a, std::int64_t b, std::int64_t& result) {
  if (b == 0) return false;
  const std::int64_t rest = b == -1 ? 0 : a % b;  // the least number % -1 traps
  result = rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
  return true;
}

// What an expression's operator makes of two numbers that were both worked out: arithmetic and
// comparisons. False where there is no result; also for every other operator.
inline bool apply(Operator op, std::int64_t a, std::int64_t b, std::int64_t& result) {
  switch (op) {
    case Operator::add:
      return !__builtin_add_overflow(a, b, &result);
    case Operator::subtract:
      return !__builtin_sub_overflow(a, b, &result);
    case Operator::multiply:
      return !__builtin_mul_overflow(a, b, &result);
    case Operator::floor_divide:
      return floor_divide(a, b, result);
    case Operator::modulo:
      return floor_modulo(a, b, result);
    case Operator::ceil_div:
      return ceil_divide(a, b, result);
    case Operator::minimum:
      result = std::min(a, b);
      return true;
    case Operator::maximum:
      result = std::max(a, b);
      return true;
    case Operator::equal:
      result = a == b ? 1 : 0;
      return true;
    case Operator::not_equal:
      result = a != b ? 1 : 0;
      return true;
    case Operator::less:
      result = a < b ? 1 : 0;
      return true;
    case Operator::less_equal:
      result = a <= b ? 1 : 0;
      return true;
    case Operator::greater:
      result = a > b ? 1 : 0;
      return true;
    case Operator::greater_equal:
      result = a >= b ? 1 : 0;
      return true;
    default:
      return false;
  }
}

}  // namespace tilewright
