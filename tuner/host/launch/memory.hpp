#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>

#include "tuner/verify/compare.hpp"

namespace tilewright::host {

// Memory between two guard zones.
class GuardedBuffer {
 public:
  GuardedBuffer() = default;
  // Its address is a multiple of `alignment`, by default as with cudaMalloc; so is `guard_bytes`.
  // Fills the guard zones, but not the bytes between them. Throws std::bad_alloc.
  GuardedBuffer(std::int64_t bytes, std::int64_t guard_bytes,
                std::size_t alignment = kDeviceAlignment)
      : size_(bytes), guard_(guard_bytes) {
    void* memory = nullptr;
    if (posix_memalign(&memory, alignment, static_cast<std::size_t>(bytes + 2 * guard_bytes)) != 0)
      throw std::bad_alloc();
    memory_.reset(static_cast<std::uint8_t*>(memory));
    fill_guards();
  }

  std::uint8_t* data() const { return memory_.get() + guard_; }
  std::int64_t size() const { return size_; }
  std::span<std::uint8_t> bytes() const { return {data(), static_cast<std::size_t>(size_)}; }
  std::span<const std::uint8_t> guard_before() const { return guard_at(memory_.get()); }
  std::span<const std::uint8_t> guard_after() const { return guard_at(data() + size_); }
  void fill_guards() const {
    for (std::uint8_t* const guard : {memory_.get(), data() + size_})
      std::ranges::fill(guard_at(guard), kGuardByte);
  }

 private:
  static constexpr std::size_t kDeviceAlignment = 256;
  static_assert(kGuardBytes % kDeviceAlignment == 0,
                "the bytes after a guard zone must be aligned too");

  std::span<std::uint8_t> guard_at(std::uint8_t* first) const {
    return {first, static_cast<std::size_t>(guard_)};
  }

  std::unique_ptr<std::uint8_t, decltype(&std::free)> memory_{nullptr, &std::free};
  std::int64_t size_ = 0;
  std::int64_t guard_ = 0;
};

}  // namespace tilewright::host
