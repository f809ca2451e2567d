#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace tilewright {

// Remembers a value for each list of sizes. Many threads may find() without a lock while others
// add. It is a table of chains that only gain entries, each at the front. Entries live as long as
// the memo.
template <class Remembered>
class SizeMemo {
 public:
  // Null if these sizes are not known.
  const Remembered* find(std::span<const std::int64_t> sizes) const {
    const Entry* entry = chains_[chain_of(sizes)].load(std::memory_order_acquire);
    while (entry != nullptr && !std::ranges::equal(entry->sizes, sizes)) entry = entry->next;
    return entry == nullptr ? nullptr : &entry->value;
  }

  // The value for these sizes, which is the first that was added.
  const Remembered& add(std::span<const std::int64_t> sizes, Remembered value) {
    const std::lock_guard lock(adding_);
    if (const Remembered* known = find(sizes)) return *known;
    std::atomic<const Entry*>& chain = chains_[chain_of(sizes)];
    entries_.push_back({{sizes.begin(), sizes.end()}, std::move(value), chain.load()});
    chain.store(&entries_.back(), std::memory_order_release);
    return entries_.back().value;
  }

  // Afterwards find() finds nothing. Values that were returned stay valid.
  void forget() {
    const std::lock_guard lock(adding_);
    for (std::atomic<const Entry*>& chain : chains_) chain.store(nullptr);
  }

 private:
  struct Entry {
    std::vector<std::int64_t> sizes;
    Remembered value;
    const Entry* next;
  };
  static constexpr std::size_t kChains = 4096;

  static std::size_t chain_of(std::span<const std::int64_t> sizes) {
    std::uint64_t hash = 0x9E3779B97F4A7C15u;  // 2^64 divided by the golden ratio
    for (const std::int64_t size : sizes) {
      hash = (hash ^ static_cast<std::uint64_t>(size)) * 0xFF51AFD7ED558CCDu;  // MurmurHash3's
      hash ^= hash >> 33;
    }
    return static_cast<std::size_t>(hash) % kChains;
  }

  std::array<std::atomic<const Entry*>, kChains> chains_ = {};
  std::mutex adding_;
  std::deque<Entry> entries_;
};

}  // namespace tilewright
