#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string_view>

#include "definition/expression/arithmetic.hpp"
#include "definition/expression/expression.hpp"
#include "definition/expression/range.hpp"

namespace tilewright {

// What an operator of two operands gives, and how it is written. Those that evaluate only some of
// their operands have no functions here.
struct OperatorFacts {
  using Whole = long long (*)(Arithmetic& e, long long a, long long b);
  using Real = double (*)(double a, double b);
  using Interval = Range (*)(Operator op, const Range& a, const Range& b);

  Operator op = Operator::number;
  std::string_view name = {};  // a symbol or a function's name; empty: it has none
  int precedence = 0;          // of a symbol between two operands
  std::size_t least = 0;       // operands of a function
  std::size_t most = 0;
  const char* method = nullptr;  // of Arithmetic, for exported headers
  Whole whole = nullptr;
  Real real = nullptr;
  Interval interval = nullptr;
};

namespace operators {

template <auto method>
constexpr OperatorFacts::Whole kMethod =
    [](Arithmetic& e, long long a, long long b) { return (e.*method)(a, b); };
template <class Compare>
constexpr OperatorFacts::Whole kTruth =
    [](Arithmetic&, long long a, long long b) { return Compare()(a, b) ? 1LL : 0LL; };
template <class Function>
constexpr OperatorFacts::Real kReal = [](double a, double b) -> double { return Function()(a, b); };

}  // namespace operators

inline constexpr int kComparisonPrecedence = 3;
inline constexpr std::size_t kAnyNumber = std::numeric_limits<std::size_t>::max();

// The only table of operators and functions, in the order of the enumerators.
inline constexpr std::array kOperators = [] {
  using namespace operators;
  using A = Arithmetic;
  constexpr int kCompare = kComparisonPrecedence;
  return std::to_array<OperatorFacts>({
      {Operator::number},
      {Operator::label},
      {Operator::name},
      {Operator::negate, "-", 0, 0, 0, "negate"},
      {Operator::logical_not, "!"},
      {Operator::add, "+", 4, 0, 0, "add", kMethod<&A::add>, kReal<std::plus<>>, sum_range},
      {Operator::subtract, "-", 4, 0, 0, "subtract", kMethod<&A::subtract>, kReal<std::minus<>>,
       sum_range},
      {Operator::multiply, "*", 5, 0, 0, "multiply", kMethod<&A::multiply>,
       kReal<std::multiplies<>>, product_range},
      {Operator::floor_divide, "/", 5, 0, 0, "floor_divide", kMethod<&A::floor_divide>,
       kReal<std::divides<>>, quotient_range},
      {Operator::modulo, "%", 5, 0, 0, "modulo", kMethod<&A::modulo>,
       [](double a, double b) { return a - b * std::floor(a / b); }, remainder_range},
      {Operator::equal, "==", kCompare, 0, 0, nullptr, kTruth<std::equal_to<>>, nullptr,
       equality_range},
      {Operator::not_equal, "!=", kCompare, 0, 0, nullptr, kTruth<std::not_equal_to<>>, nullptr,
       equality_range},
      {Operator::less, "<", kCompare, 0, 0, nullptr, kTruth<std::less<>>, kReal<std::less<>>,
       order_range},
      {Operator::less_equal, "<=", kCompare, 0, 0, nullptr, kTruth<std::less_equal<>>,
       kReal<std::less_equal<>>, order_range},
      {Operator::greater, ">", kCompare, 0, 0, nullptr, kTruth<std::greater<>>,
       kReal<std::greater<>>, order_range},
      {Operator::greater_equal, ">=", kCompare, 0, 0, nullptr, kTruth<std::greater_equal<>>,
       kReal<std::greater_equal<>>, order_range},
      {Operator::logical_and, "&&", 2},
      {Operator::logical_or, "||", 1},
      {Operator::conditional},
      {Operator::minimum, "min", 0, 2, kAnyNumber, "minimum", kMethod<&A::minimum>,
       [](double a, double b) { return std::min(a, b); }, sum_range},
      {Operator::maximum, "max", 0, 2, kAnyNumber, "maximum", kMethod<&A::maximum>,
       [](double a, double b) { return std::max(a, b); }, sum_range},
      {Operator::ceil_div, "ceil_div", 0, 2, 2, "ceil_div", kMethod<&A::ceil_div>,
       [](double a, double b) { return std::ceil(a / b); }, quotient_range},
      {Operator::absolute, "abs", 0, 1, 1, "absolute"},
      {Operator::otherwise},
      {Operator::size_of, "size_of", 0, 1, 1},
      {Operator::square_root, "sqrt", 0, 1, 1},
  });
}();

constexpr const OperatorFacts& facts_of(Operator op) {
  return kOperators[static_cast<std::size_t>(op)];
}
static_assert(std::ranges::all_of(kOperators, [](const OperatorFacts& one) {
  return &facts_of(one.op) == &one;
}));
static_assert(kOperators.back().op == Operator::square_root, "the last enumerator");

// The value for two numbers. Other operators fail.
inline std::int64_t apply(Operator op, std::int64_t a, std::int64_t b, Arithmetic& e) {
  const OperatorFacts::Whole whole = facts_of(op).whole;
  return whole == nullptr ? e.fail() : whole(e, a, b);
}

// The same. Returns false if there is no result.
inline bool apply(Operator op, std::int64_t a, std::int64_t b, std::int64_t& result) {
  Arithmetic e;
  result = apply(op, a, b, e);
  return e.ok;
}

}  // namespace tilewright
