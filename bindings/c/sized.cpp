#include "bindings/c/sized.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "tilewright/error.hpp"
#include "tilewright/version.hpp"

namespace tilewright::bindings {
namespace {

// No version has a struct of so many bytes. A size beyond it is something else, such as a pointer.
constexpr std::size_t kMost = 4096;

std::size_t checked_size(const char* function, const SizedFacts& facts, const void* given) {
  std::size_t size = 0;
  std::memcpy(&size, given, sizeof size);
  if (size < facts.least || size > kMost)
    throw InputError(fmt::format("{}: the size of {} is {}; give .size = sizeof({})", function,
                                 facts.name, size, facts.name));
  return size;
}

}  // namespace

void read_sized(const char* function, const SizedFacts& facts, const void* given, void* whole,
                std::size_t known) {
  const std::size_t size = checked_size(function, facts, given);
  const std::span bytes(static_cast<const unsigned char*>(given), size);
  const auto is_set = [](unsigned char byte) { return byte != 0; };
  if (std::ranges::any_of(bytes.subspan(std::min(size, known)), is_set))
    throw InputError(fmt::format(
        "{}: {} has {} bytes, and a field beyond the {} that this library knows is set; "
        "load one that is newer than {}",
        function, facts.name, size, known, kVersion));
  std::memcpy(whole, given, std::min(size, known));
}

void write_sized(const char* function, const SizedFacts& facts, const void* whole, void* given,
                 std::size_t known) {
  const std::size_t size = std::min(checked_size(function, facts, given), known);
  constexpr std::size_t kHeader = sizeof(std::size_t);
  std::memcpy(static_cast<char*>(given) + kHeader, static_cast<const char*>(whole) + kHeader,
              size - kHeader);
}

}  // namespace tilewright::bindings
