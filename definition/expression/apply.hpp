#pragma once

#include <cstdint>

#include "definition/expression/arithmetic.hpp"
#include "definition/expression/expression.hpp"

namespace tilewright {

// Applies an arithmetic operator or a comparison to two numbers. Other operators fail.
inline std::int64_t apply(Operator op, std::int64_t a, std::int64_t b, Arithmetic& e) {
  switch (op) {
    case Operator::add:
      return e.add(a, b);
    case Operator::subtract:
      return e.subtract(a, b);
    case Operator::multiply:
      return e.multiply(a, b);
    case Operator::floor_divide:
      return e.floor_divide(a, b);
    case Operator::modulo:
      return e.modulo(a, b);
    case Operator::ceil_div:
      return e.ceil_div(a, b);
    case Operator::minimum:
      return e.minimum(a, b);
    case Operator::maximum:
      return e.maximum(a, b);
    case Operator::equal:
      return a == b ? 1 : 0;
    case Operator::not_equal:
      return a != b ? 1 : 0;
    case Operator::less:
      return a < b ? 1 : 0;
    case Operator::less_equal:
      return a <= b ? 1 : 0;
    case Operator::greater:
      return a > b ? 1 : 0;
    case Operator::greater_equal:
      return a >= b ? 1 : 0;
    default:
      return e.fail();
  }
}

// The same. Returns false if there is no result.
inline bool apply(Operator op, std::int64_t a, std::int64_t b, std::int64_t& result) {
  Arithmetic e;
  result = apply(op, a, b, e);
  return e.ok;
}

}  // namespace tilewright
