#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace tilewright {

// Remembers a value for each list of sizes. Many threads may find() without a lock while others
// add. It is an open-addressed table of pointers that only gains entries; a full table is replaced
// by a larger copy. Entries and tables live as long as the memo.
template <class Remembered>
class SizeMemo {
 public:
  SizeMemo() { forget(); }

  // Null if these sizes are not known.
  const Remembered* find(std::span<const std::int64_t> sizes) const {
    const Entry* entry = current_.load(std::memory_order_acquire)->find(sizes);
    return entry == nullptr ? nullptr : &entry->value;
  }

  // The value for these sizes, which is the first that was added.
  const Remembered& add(std::span<const std::int64_t> sizes, Remembered value) {
    const std::lock_guard lock(adding_);
    if (const Remembered* known = find(sizes)) return *known;
    entries_.push_back({{sizes.begin(), sizes.end()}, std::move(value)});
    if (!tables_.back()->has_room()) {
      auto larger = tables_.back()->larger();
      current_.store(larger.get(), std::memory_order_release);
      tables_.push_back(std::move(larger));
    }
    tables_.back()->add(entries_.back());
    return entries_.back().value;
  }

  // Afterwards find() finds nothing. Values that were returned stay valid.
  void forget() {
    const std::lock_guard lock(adding_);
    tables_.push_back(std::make_unique<Table>(kFirstSlots));
    current_.store(tables_.back().get(), std::memory_order_release);
  }

 private:
  static constexpr std::size_t kFirstSlots = 64;  // a power of two

  struct Entry {
    std::vector<std::int64_t> sizes;
    Remembered value;
  };

  static std::size_t hash_of(std::span<const std::int64_t> sizes) {
    std::uint64_t hash = 0x9E3779B97F4A7C15u;  // 2^64 divided by the golden ratio
    for (const std::int64_t size : sizes) {
      hash = (hash ^ static_cast<std::uint64_t>(size)) * 0xFF51AFD7ED558CCDu;  // MurmurHash3's
      hash ^= hash >> 33;
    }
    return static_cast<std::size_t>(hash);
  }

  class Table {
   public:
    explicit Table(std::size_t slots) : slots_(slots) {}

    const Entry* find(std::span<const std::int64_t> sizes) const {
      for (std::size_t at = hash_of(sizes);; ++at) {
        const Entry* entry = slots_[at & (slots_.size() - 1)].load(std::memory_order_acquire);
        if (entry == nullptr || std::ranges::equal(entry->sizes, sizes)) return entry;
      }
    }

    // REQUIRES has_room(), and that the table does not contain the entry.
    void add(const Entry& entry) {
      std::size_t at = hash_of(entry.sizes);
      while (slots_[at & (slots_.size() - 1)].load(std::memory_order_relaxed) != nullptr) ++at;
      slots_[at & (slots_.size() - 1)].store(&entry, std::memory_order_release);
      ++used_;
    }

    bool has_room() const { return 2 * (used_ + 1) <= slots_.size(); }

    std::unique_ptr<Table> larger() const {
      auto table = std::make_unique<Table>(2 * slots_.size());
      for (const auto& slot : slots_)
        if (const Entry* entry = slot.load(std::memory_order_relaxed)) table->add(*entry);
      return table;
    }

   private:
    std::vector<std::atomic<const Entry*>> slots_;
    std::size_t used_ = 0;
  };

  std::atomic<const Table*> current_;
  std::mutex adding_;
  std::deque<Entry> entries_;
  std::vector<std::unique_ptr<Table>> tables_;
};

}  // namespace tilewright
