#pragma once

#include <cstdint>
#include <vector>

#include "tuner/plan/launch_plan.hpp"
#include "tuner/verify/fill_elements.h"

namespace tilewright {

using elements::load_element;
using elements::store_element;

// The contents of an argument: `count` little-endian elements of its type, filled by its Fill. A
// computed scalar has its value. Element i depends only on the seed, the argument's index and i, so
// data are equal on every machine. Throws InputError if a file is missing or too short.
std::vector<std::uint8_t> fill_buffer(const PlannedBuffer& buffer, int argument_index,
                                      std::uint64_t seed);

}  // namespace tilewright
