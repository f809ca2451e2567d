#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/convert/python_node.hpp"

namespace tilewright::tools {

// What a name of Python stands for in the manifest.
struct ManifestName {
  std::string text;
  std::optional<std::int64_t> least;  // the least of its values
};
using ManifestNames = std::map<std::string, ManifestName, std::less<>>;

// How tightly a text binds, as docs/manifest.md lists it.
enum class Binding { choice, any, all, comparison, sum, product, unary, atom };

// A number in the language of manifests, which has whole numbers only: a quotient of Python is kept
// as numerator and denominator, which is always positive, until a comparison, a rounding or the
// grid needs it. bindings/python translates in the same way;
// tests/definitions/python_expressions.json has cases for both.
struct Quotient {
  std::string text;
  Binding binding = Binding::atom;
  std::optional<std::int64_t> least = {};          // a lower bound, if one is known
  std::shared_ptr<const Quotient> over = nullptr;  // none: it is whole

  std::string within(Binding binding) const;  // the text, in parentheses if it binds less
};

// Throw InputError that names the text and what is accepted.
Quotient translated(const PythonExpression& expression, const ManifestNames& names);
Quotient translated(std::string_view text, const ManifestNames& names);

// a / b for each of the divisors, rounded up to a whole number. Throws InputError if one may be
// zero or negative.
Quotient grid_extent(Quotient extent, const std::vector<Quotient>& divisors);

}  // namespace tilewright::tools
