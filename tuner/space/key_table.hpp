#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tilewright {

// Gives each distinct sequence of numbers an index, in the order of arrival.
class KeyTable {
 public:
  // The key's index; a new key gets the old size(). At most 2^32 - 2 keys.
  std::uint32_t number_of(std::span<const std::int64_t> key);
  std::uint32_t size() const { return static_cast<std::uint32_t>(ends_.size()); }
  std::size_t numbers() const { return numbers_.size(); }  // of all keys together

 private:
  std::span<const std::int64_t> key(std::uint32_t number) const;
  void grow();

  std::vector<std::int64_t> numbers_;  // the keys, one after the other
  std::vector<std::size_t> ends_;      // by key, in numbers_
  std::vector<std::uint64_t> hashes_;  // by key
  std::vector<std::uint32_t> slots_;   // open addressing; a power of two
};

}  // namespace tilewright
