#include "tuner/space/key_table.hpp"

#include <algorithm>

namespace tilewright {
namespace {

constexpr std::uint32_t kEmpty = 0xFFFFFFFF;
constexpr std::size_t kFewestSlots = 64;

std::uint64_t hash_of(std::span<const std::int64_t> key) {
  std::uint64_t hash = key.size();
  for (const std::int64_t number : key) {
    hash = (hash ^ static_cast<std::uint64_t>(number)) * 0x9E3779B97F4A7C15;
    hash ^= hash >> 29;
  }
  return hash ^ (hash >> 32);
}

}  // namespace

std::span<const std::int64_t> KeyTable::key(std::uint32_t number) const {
  const std::size_t begin = number == 0 ? 0 : ends_[number - 1];
  return {numbers_.data() + begin, ends_[number] - begin};
}

std::uint32_t KeyTable::number_of(std::span<const std::int64_t> wanted) {
  if (2 * ends_.size() >= slots_.size()) grow();
  const std::uint64_t hash = hash_of(wanted);
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash & mask;
  for (; slots_[slot] != kEmpty; slot = (slot + 1) & mask)
    if (hashes_[slots_[slot]] == hash && std::ranges::equal(key(slots_[slot]), wanted))
      return slots_[slot];
  const std::uint32_t number = size();
  slots_[slot] = number;
  numbers_.insert(numbers_.end(), wanted.begin(), wanted.end());
  ends_.push_back(numbers_.size());
  hashes_.push_back(hash);
  return number;
}

void KeyTable::grow() {
  slots_.assign(std::max(kFewestSlots, 2 * slots_.size()), kEmpty);
  const std::size_t mask = slots_.size() - 1;
  for (std::uint32_t number = 0; number < size(); ++number) {
    std::size_t slot = hashes_[number] & mask;
    while (slots_[slot] != kEmpty) slot = (slot + 1) & mask;
    slots_[slot] = number;
  }
}

}  // namespace tilewright
