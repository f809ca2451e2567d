#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

#include "tilewright/element_type.hpp"

namespace tilewright {

// Files of numpy.save(): a header with the type and the shape, then the elements.

// By its name.
bool is_npy(const std::filesystem::path& file);

// Where the elements begin, in bytes. Throws InputError if the file is no such file, if its
// elements have another type or are in Fortran's order, or if there are fewer than `count`.
std::size_t npy_offset(const std::filesystem::path& file, ElementType type, std::int64_t count);

}  // namespace tilewright
