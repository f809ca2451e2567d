#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tilewright/element_type.hpp"

namespace tilewright::bench {

// The same numbers as elements of another type, each rounded once from float64. Neither type may be
// complex. Requires that no number is out of range of `to` if that is an integer.
std::vector<std::uint8_t> converted(std::span<const std::uint8_t> elements, ElementType from,
                                    ElementType to);

}  // namespace tilewright::bench
