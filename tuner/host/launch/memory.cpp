// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tuner/host/launch/memory.hpp"

#include <cstring>
#include <new>

#include "tuner/verify/compare.hpp"

namespace tilewright::host {
namespace {

constexpr std::align_val_t kAlignment{256};
static_assert(kGuardBytes % 256 == 0, "the bytes behind a guard must be aligned as well");

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

std::span<const std::uint8_t> GuardedBuffer::guard_before() const {
  return {memory_.get(), static_cast<std::size_t>(guard_)};
}

std::span<const std::uint8_t> GuardedBuffer::guard_after() const {
  return {data() + size_, static_cast<std::size_t>(guard_)};
}

void GuardedBuffer::fill_guards() const {
  if (guard_ == 0) return;
  std::memset(memory_.get(), kGuardByte, static_cast<std::size_t>(guard_));
  std::memset(data() + size_, kGuardByte, static_cast<std::size_t>(guard_));
}

}  // namespace tilewright::host
