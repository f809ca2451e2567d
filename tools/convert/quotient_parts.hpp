#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "tools/convert/quotient.hpp"

namespace tilewright::tools {

// An expression that the language of manifests cannot say.
class Refused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Arithmetic of Quotients. Functions that need a positive divisor throw Refused.
Quotient number(std::int64_t value);
Quotient decimal(std::string_view digits);  // "12", "0.5", "1e3"; exact
std::optional<std::int64_t> whole_literal(const Quotient& value);

Quotient numerator(const Quotient& value);
Quotient denominator(const Quotient& value);
Quotient over(Quotient top, const Quotient& bottom);  // bottom: positive

struct Common {
  Quotient a, b;  // numerators over the product of the denominators
  Quotient denominator;
};
Common on_one_denominator(const Quotient& a, const Quotient& b);

Quotient product(const Quotient& a, const Quotient& b);  // of whole numbers
Quotient sum(const Quotient& a, const Quotient& b, std::string_view sign);
Quotient divided(const Quotient& a, const Quotient& b, std::string_view what);
Quotient remainder(const Quotient& a, const Quotient& b);
Quotient floor_of(const Quotient& a, const Quotient& b);  // of a / b
Quotient ceiling(const Quotient& value);
// What int() makes of a number in Python; the number itself if it may be negative.
Quotient truncated(const Quotient& value);

}  // namespace tilewright::tools
