// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <span>

namespace tilewright::host {

// Bytes at an address that is a multiple of 256, as cudaMalloc gives, between two guard zones.
class GuardedBuffer {
 public:
  GuardedBuffer() = default;
  // The guards are filled, the bytes are not. Throws std::bad_alloc.
  GuardedBuffer(std::int64_t bytes, std::int64_t guard_bytes);

  std::uint8_t* data() const { return memory_.get() + guard_; }
  std::int64_t size() const { return size_; }
  std::span<std::uint8_t> bytes() const { return {data(), static_cast<std::size_t>(size_)}; }
  std::span<const std::uint8_t> guard_before() const;
  std::span<const std::uint8_t> guard_after() const;
  void fill_guards() const;

 private:
  struct Free {
    void operator()(std::uint8_t* memory) const;
  };
  std::unique_ptr<std::uint8_t, Free> memory_;
  std::int64_t size_ = 0;
  std::int64_t guard_ = 0;
};

}  // namespace tilewright::host
