#include "tools/convert/quotient_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <memory>
#include <numeric>
#include <string>

namespace tilewright::tools {
namespace {

using Bound = std::optional<std::int64_t>;
constexpr std::int64_t kGreatest = std::numeric_limits<std::int64_t>::max();

bool is_at_least(const Quotient& value, std::int64_t bound) {
  return value.least && *value.least >= bound;
}

// A bound stays one if it is made smaller, so the greatest integer stands for what is beyond it.
std::int64_t bounded_product(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? kGreatest : result;
}

Bound bounded_sum(const Bound& a, const Bound& b) {
  if (!a || !b) return std::nullopt;
  std::int64_t result = 0;
  if (!__builtin_add_overflow(*a, *b, &result)) return result;
  return *a > 0 ? Bound(kGreatest) : std::nullopt;
}

[[noreturn]] void refuse_size(std::string_view text) {
  throw Refused(fmt::format("{} needs more than 64 bits", text));
}

std::int64_t whole_of(std::string_view digits) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || end != digits.data() + digits.size()) refuse_size(digits);
  return value;
}

std::int64_t ten_to(std::size_t power, std::string_view text) {
  std::int64_t value = 1;
  for (std::size_t i = 0; i < power; ++i)
    if (__builtin_mul_overflow(value, std::int64_t{10}, &value)) refuse_size(text);
  return value;
}

}  // namespace

Quotient number(std::int64_t value) {
  return {std::to_string(value), value < 0 ? Binding::unary : Binding::atom, value};
}

Quotient decimal(std::string_view digits) {
  const std::size_t e = digits.find_first_of("eE");
  std::string mantissa(digits.substr(0, e));
  std::int64_t exponent = 0;
  if (e != std::string_view::npos) {
    std::string_view power = digits.substr(e + 1);
    if (power.starts_with('+')) power.remove_prefix(1);
    exponent = whole_of(power);
  }
  if (const std::size_t point = mantissa.find('.'); point != std::string::npos) {
    exponent -= static_cast<std::int64_t>(mantissa.size() - point - 1);
    mantissa.erase(point, 1);
  }
  constexpr std::int64_t kMostDigits = 18;
  const std::int64_t whole = whole_of(mantissa.empty() ? "0" : mantissa);
  if (exponent > kMostDigits || exponent < -kMostDigits) refuse_size(digits);
  if (exponent >= 0)
    return product(number(whole), number(ten_to(static_cast<std::size_t>(exponent), digits)));
  const std::int64_t bottom = ten_to(static_cast<std::size_t>(-exponent), digits);
  const std::int64_t common = std::gcd(whole, bottom);
  return over(number(whole / common), number(bottom / common));
}

std::optional<std::int64_t> whole_literal(const Quotient& value) {
  const bool digits =
      !value.text.empty() && value.text.find_first_not_of("0123456789") == std::string::npos;
  if (value.over || !digits) return std::nullopt;
  return whole_of(value.text);
}

Quotient numerator(const Quotient& value) {
  return {value.text, value.binding, value.least};
}

Quotient denominator(const Quotient& value) {
  return value.over ? *value.over : number(1);
}

Quotient over(Quotient top, const Quotient& bottom) {
  top.over = bottom.text == "1" ? nullptr : std::make_shared<const Quotient>(bottom);
  return top;
}

Common on_one_denominator(const Quotient& a, const Quotient& b) {
  return {product(numerator(a), denominator(b)), product(numerator(b), denominator(a)),
          product(denominator(a), denominator(b))};
}

Quotient product(const Quotient& a, const Quotient& b) {
  if (a.text == "1") return b;
  if (b.text == "1") return a;
  const auto x = whole_literal(a);
  const auto y = whole_literal(b);
  if (x && y) {
    std::int64_t result = 0;
    if (__builtin_mul_overflow(*x, *y, &result)) refuse_size(a.text + " * " + b.text);
    return number(result);
  }
  if (x == 0 || y == 0) return number(0);
  Bound least;
  if (is_at_least(a, 0) && is_at_least(b, 0)) least = bounded_product(*a.least, *b.least);
  return {fmt::format("{} * {}", a.within(Binding::product), b.within(Binding::unary)),
          Binding::product, least};
}

Quotient sum(const Quotient& a, const Quotient& b, std::string_view sign) {
  const Common sides = on_one_denominator(a, b);
  return over({fmt::format("{} {} {}", sides.a.within(Binding::sum), sign,
                           sides.b.within(Binding::product)),
               Binding::sum, sign == "+" ? bounded_sum(sides.a.least, sides.b.least) : Bound()},
              sides.denominator);
}

Quotient divided(const Quotient& a, const Quotient& b, std::string_view what) {
  if (!is_at_least(b, 1))
    throw Refused(
        fmt::format("'{}' may be zero or negative, so nothing can be divided by it exactly", what));
  return over(product(numerator(a), denominator(b)), product(denominator(a), numerator(b)));
}

Quotient remainder(const Quotient& a, const Quotient& b) {
  const Common sides = on_one_denominator(a, b);
  const Bound least = is_at_least(sides.b, 1) ? Bound(0) : std::nullopt;
  return over(
      {fmt::format("{} % {}", sides.a.within(Binding::product), sides.b.within(Binding::unary)),
       Binding::product, least},
      sides.denominator);
}

Quotient floor_of(const Quotient& a, const Quotient& b) {
  Quotient top = product(numerator(a), denominator(b));
  const Quotient bottom = product(denominator(a), numerator(b));
  if (bottom.text == "1") return top;
  Bound least;
  if (is_at_least(top, 0) && is_at_least(bottom, 1)) {
    const auto divisor = whole_literal(bottom);
    least = divisor ? *top.least / *divisor : 0;
  }
  return {fmt::format("{} / {}", top.within(Binding::product), bottom.within(Binding::unary)),
          Binding::product, least};
}

Quotient truncated(const Quotient& value) {
  return is_at_least(value, 0) ? floor_of(value, number(1)) : value;
}

Quotient ceiling(const Quotient& value) {
  if (!value.over) return value;
  if (value.text == "1" && value.over->least) return number(1);
  Bound least = value.least;
  if (least) least = std::min(*least, std::int64_t{1});
  return {fmt::format("ceil_div({}, {})", value.text, value.over->text), Binding::atom, least};
}

}  // namespace tilewright::tools
