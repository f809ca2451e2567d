#include "definition/fill.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace tilewright {

Fill default_fill(ElementType type) {
  if (is_integer(type)) return {Fill::Kind::integers, 0, 100, {}};
  if (is_narrow_float(type)) return {.kind = Fill::Kind::normal};
  return {};
}

namespace {

bool is_whole(double number) {
  return std::isfinite(number) && number == std::floor(number);
}

// What offsets and permutations need.
std::optional<std::string> order_error(const Fill& fill, ElementType type) {
  const bool has_end = fill.kind == Fill::Kind::offsets;
  if (!is_integer(type))
    return fmt::format("{} cannot be filled with '{}', which are integers", to_text(type),
                       has_end ? "offsets" : "permutation");
  if (!is_whole(fill.low) || (has_end && !is_whole(fill.high)))
    return fmt::format("{} cannot be filled with fractions", to_text(type));
  if (fill.low < 0 && is_unsigned(type))
    return fmt::format("'low' is below 0, which {} cannot hold", to_text(type));
  if (!has_end) return std::nullopt;
  if (fill.low > fill.high)
    return fmt::format("'low' is {} and must be at most 'high', {}", fill.low, fill.high);
  if (fill.high > facts_of(type).greatest)
    return fmt::format("'high' is {}, which {} cannot hold", fill.high, to_text(type));
  return std::nullopt;
}

std::optional<std::string> image_error(const Fill& fill, ElementType type) {
  for (const auto& [key, number] : {std::pair("correlation", fill.correlation),
                                    {"border", fill.border},
                                    {"rows", fill.rows},
                                    {"columns", fill.columns}})
    if (number < 0 || number > kMostBufferElements || !is_whole(number))
      return fmt::format("'{}' is {} and must be a whole number from 0 to {}", key, number,
                         kMostBufferElements);
  if (fill.correlation < 1)
    return fmt::format("'correlation' is {} and must be at least 1", fill.correlation);
  if (fill.correlation > 1 && facts_of(type).kind == ElementKind::complex)
    return fmt::format("{} cannot be correlated", to_text(type));
  if (fill.border > 0 && (fill.rows < 1 || fill.columns < 1))
    return fmt::format("'border' needs 'rows' and 'columns' of at least 1, not {} and {}",
                       fill.rows, fill.columns);
  return std::nullopt;
}

}  // namespace

std::optional<std::string> fill_error(const Fill& fill, ElementType type) {
  using Kind = Fill::Kind;
  if (fill.kind == Kind::file) return std::nullopt;
  if (fill.kind == Kind::offsets || fill.kind == Kind::permutation) return order_error(fill, type);
  if (auto error = image_error(fill, type)) return error;
  if (fill.divisor <= 0) return fmt::format("'divisor' is {} and must be above 0", fill.divisor);
  if (fill.kind == Kind::normal || fill.kind == Kind::uniform) {
    if (is_integer(type))
      return fmt::format(
          "{} cannot be filled with '{}' fractions; take integers, sorted, offsets, permutation, "
          "constant or file",
          to_text(type), fill.kind == Kind::normal ? "normal" : "uniform");
    if (fill.kind == Kind::normal && fill.deviation <= 0)
      return fmt::format("'deviation' is {} and must be above 0", fill.deviation);
    if (fill.kind == Kind::normal) return std::nullopt;
  }
  const bool needs_whole = fill.kind == Kind::integers || is_integer(type);
  if (needs_whole && !(is_whole(fill.low) && is_whole(fill.high)))
    return fmt::format("{} cannot be filled with fractions", to_text(type));
  if (fill.kind == Kind::constant)
    return std::isinf(fill.low) && type == ElementType::float8_e4m3
               ? std::optional(fmt::format("{} has no infinity", to_text(type)))
               : std::nullopt;
  if (needs_whole ? fill.low > fill.high : fill.low >= fill.high)
    return fmt::format("'low' is {} and must be {} 'high', {}", fill.low,
                       needs_whole ? "at most" : "below", fill.high);
  if (fill.low < 0 && is_unsigned(type))
    return fmt::format("'low' is below 0, which {} cannot hold", to_text(type));
  return std::nullopt;
}

}  // namespace tilewright
