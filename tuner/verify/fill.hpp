#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "tilewright/element_type.hpp"
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

// Files of numpy.save(): a header with the type and the shape, then the elements.

// By its name.
bool is_npy(const std::filesystem::path& file);

// Where the elements begin, in bytes. Throws InputError if the file is no such file, if its
// elements have another type or are in Fortran's order, or if there are fewer than `count`.
std::size_t npy_offset(const std::filesystem::path& file, ElementType type, std::int64_t count);

}  // namespace tilewright
