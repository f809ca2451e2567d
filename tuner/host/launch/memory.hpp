#pragma once

#include <cstdint>
#include <memory>
#include <span>

namespace tilewright::host {

// Memory between two guard zones. Its address is a multiple of 256, as with cudaMalloc.
class GuardedBuffer {
 public:
  GuardedBuffer() = default;
  // Fills the guard zones, but not the bytes between them. Throws std::bad_alloc.
  GuardedBuffer(std::int64_t bytes, std::int64_t guard_bytes);

  std::uint8_t* data() const { return memory_.get() + guard_; }
  std::int64_t size() const { return size_; }
  std::span<std::uint8_t> bytes() const { return {data(), static_cast<std::size_t>(size_)}; }
  std::span<const std::uint8_t> guard_before() const { return guard_at(memory_.get()); }
  std::span<const std::uint8_t> guard_after() const { return guard_at(data() + size_); }
  void fill_guards() const;

 private:
  std::span<std::uint8_t> guard_at(std::uint8_t* first) const {
    return {first, static_cast<std::size_t>(guard_)};
  }

  struct Free {
    void operator()(std::uint8_t* memory) const;
  };
  std::unique_ptr<std::uint8_t, Free> memory_;
  std::int64_t size_ = 0;
  std::int64_t guard_ = 0;
};

}  // namespace tilewright::host
