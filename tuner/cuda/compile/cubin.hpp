#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tilewright::cuda {

// XXH3-128 of a cubin's architecture and of all its sections except notes, in hexadecimal. The
// notes
// (.note.nv.tkinfo, .note.nv.cuinfo) name the toolkit and the assembler's options. Without them the
// hash stays the same if a new toolkit produces the same code. A cubin contains no macros and no
// file name. What is not a 64-bit ELF file is hashed as a whole.
std::string cubin_hash(const std::vector<std::uint8_t>& cubin);

// The bytes of each parameter of a kernel in code of units (units.hpp), in their order. Nothing if
// the code does not say, because it has no such kernel, is damaged or says it in another way.
std::optional<std::vector<std::int64_t>> kernel_parameters(std::span<const std::uint8_t> code,
                                                           const std::string& symbol);

// The symbols of a cubin's variables (__device__, __constant__). None of what is no cubin.
std::vector<std::string> cubin_variables(const std::vector<std::uint8_t>& cubin);

}  // namespace tilewright::cuda
