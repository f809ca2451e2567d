// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tilewright::host {

struct AddressRange {
  std::uint64_t offset = 0;  // from where the library is loaded
  std::uint64_t size = 0;
};

// The writable variables that live in functions of an ELF library (by its symbol table): the
// static shared memory of its kernels. A section of their own would not do, since GCC ignores
// that for templates. Empty where `code` is no such library.
std::vector<AddressRange> static_locals(std::span<const std::uint8_t> code);

}  // namespace tilewright::host
