// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tilewright::cuda {

// XXH3-128 of a cubin, hexadecimal: of the architecture and every section but the notes. Cubins
// hold no macros and no file name, but the notes (.note.nv.tkinfo, .note.nv.cuinfo) name the
// toolkit and the assembler's options; without them a toolkit update that gives the same code
// gives the same hash. What is not a 64-bit ELF file is hashed whole.
std::string cubin_hash(const std::vector<std::uint8_t>& cubin);

}  // namespace tilewright::cuda
