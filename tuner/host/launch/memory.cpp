#include "tuner/host/launch/memory.hpp"

#include <algorithm>
#include <new>

#include "tuner/verify/compare.hpp"

namespace tilewright::host {
namespace {

constexpr std::align_val_t kAlignment{256};
static_assert(kGuardBytes % 256 == 0, "the bytes after a guard zone must be aligned too");

}  // namespace

void GuardedBuffer::Free::operator()(std::uint8_t* memory) const {
  ::operator delete(memory, kAlignment);
}

GuardedBuffer::GuardedBuffer(std::int64_t bytes, std::int64_t guard_bytes)
    : memory_(static_cast<std::uint8_t*>(
          ::operator new(static_cast<std::size_t>(bytes + 2 * guard_bytes), kAlignment))),
      size_(bytes),
      guard_(guard_bytes) {
  fill_guards();
}

void GuardedBuffer::fill_guards() const {
  for (std::uint8_t* const guard : {memory_.get(), data() + size_})
    std::ranges::fill(guard_at(guard), kGuardByte);
}

}  // namespace tilewright::host
