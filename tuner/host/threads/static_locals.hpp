#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tilewright::host {

struct AddressRange {
  std::uint64_t offset = 0;  // from the address where the library is loaded
  std::uint64_t size = 0;
};

// The writable variables inside functions of an ELF library, by its symbol table. They are the
// static shared memory of its kernels. (A section for them would not work, because GCC ignores the
// attribute in templates.) Each lies in a section that may be written. Empty if `code` is not such
// a library; what a damaged one has outside its bytes is ignored.
std::vector<AddressRange> static_locals(std::span<const std::uint8_t> code);

}  // namespace tilewright::host
