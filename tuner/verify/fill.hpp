// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "tuner/backend/launch_plan.hpp"

namespace tilewright {

// The contents of an argument: count elements of its type, little-endian, filled as its Fill
// says (a computed scalar holds its value). Element i depends on (seed, argument index, i)
// only, so every backend and machine sees the same data. Throws InputError for a file that is
// missing or too short.
std::vector<std::uint8_t> fill_buffer(const PlannedBuffer& buffer, int argument_index,
                                      std::uint64_t seed);

}  // namespace tilewright
