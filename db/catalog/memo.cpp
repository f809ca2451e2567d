// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "db/catalog/memo.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <type_traits>
#include <utility>

namespace tilewright {
namespace {

constexpr std::size_t kFirstSlots = 64;  // a power of two

std::size_t hash_of(std::span<const std::int64_t> sizes) {
  std::uint64_t hash = 0x9E3779B97F4A7C15u;  // 2^64 divided by the golden ratio
  for (const std::int64_t size : sizes) {
    hash = (hash ^ static_cast<std::uint64_t>(size)) * 0xFF51AFD7ED558CCDu;  // MurmurHash3's
    hash ^= hash >> 33;
  }
  return static_cast<std::size_t>(hash);
}

// Two changes within one tick of the file system's clock look the same.
bool is_settled(const FileState& state) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto age =
      std::chrono::duration_cast<std::chrono::nanoseconds>(now).count() - state.changed_ns;
  return age > 100'000'000;
}

template <class Number>
void append(std::string& key, Number number) {
  static_assert(std::is_arithmetic_v<Number>);
  char bytes[sizeof number];
  std::memcpy(bytes, &number, sizeof number);
  key.append(bytes, sizeof number);
}

void append(std::string& key, const std::string& text) {
  append(key, text.size());
  key += text;
}

void append(std::string& key, const Device& device) {
  for (const std::string* text : {&device.kind, &device.name, &device.partition})
    append(key, *text);
  for (const std::int64_t number :
       {std::int64_t{device.compute_capability}, std::int64_t{device.sm_count}, device.l2_bytes,
        device.shared_bytes_per_block, device.shared_bytes_per_sm, device.reserved_shared_bytes,
        device.registers_per_block, device.registers_per_sm, device.max_threads_per_block,
        device.max_threads_per_sm, device.max_blocks_per_sm, device.warp_size})
    append(key, number);
  for (const std::int64_t size : device.max_block) append(key, size);
  for (const std::int64_t size : device.max_grid) append(key, size);
}

std::string key_of(const Question& question) {
  std::string key;
  key.reserve(512);
  append(key, question.operation);
  for (const auto& [name, value] : question.problem) {
    append(key, name);
    append(key, value.index());
    if (const auto* number = std::get_if<std::int64_t>(&value))
      append(key, *number);
    else
      append(key, std::get<std::string>(value));
  }
  append(key, question.device.has_value());
  if (question.device) append(key, *question.device);
  append(key, question.cache ? static_cast<int>(*question.cache) : -1);
  append(key, static_cast<int>(question.require));
  append(key, question.environment.has_value());
  if (question.environment) {
    const Environment& software = *question.environment;
    for (const std::string* text : {&software.driver, &software.runtime, &software.compiler})
      append(key, *text);
  }
  return key;
}

}  // namespace

class SizeMemo::Table {
 public:
  explicit Table(std::size_t slots) : slots_(slots) {}

  const Entry* find(std::span<const std::int64_t> sizes) const {
    for (std::size_t at = hash_of(sizes);; ++at) {
      const Entry* entry = slots_[at & (slots_.size() - 1)].load(std::memory_order_acquire);
      if (entry == nullptr || std::ranges::equal(entry->sizes, sizes)) return entry;
    }
  }

  // REQUIRES that it is not there, and room().
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

SizeMemo::SizeMemo() {
  forget();
}
SizeMemo::~SizeMemo() = default;

const Answer* SizeMemo::find(std::span<const std::int64_t> sizes) const {
  const Entry* entry = current_.load(std::memory_order_acquire)->find(sizes);
  return entry == nullptr ? nullptr : &entry->answer;
}

const Answer& SizeMemo::add(std::span<const std::int64_t> sizes, Answer answer) {
  const std::lock_guard lock(adding_);
  if (const Answer* known = find(sizes)) return *known;
  entries_.push_back({{sizes.begin(), sizes.end()}, std::move(answer)});
  if (!tables_.back()->has_room()) {
    auto larger = tables_.back()->larger();
    current_.store(larger.get(), std::memory_order_release);
    tables_.push_back(std::move(larger));
  }
  tables_.back()->add(entries_.back());
  return entries_.back().answer;
}

void SizeMemo::forget() {
  const std::lock_guard lock(adding_);
  tables_.push_back(std::make_unique<Table>(kFirstSlots));
  current_.store(tables_.back().get(), std::memory_order_release);
}

Answer TextMemo::find_or(const Question& question, const std::filesystem::path& database,
                         const std::function<Found()>& look_up) {
  const auto state = database.empty() ? FileState{} : state_of(database);
  const std::string key = key_of(question);
  {
    const std::lock_guard lock(mutex_);
    if (state != state_) answers_.clear();
    state_ = state;
    if (const auto known = answers_.find(key); known != answers_.end()) return known->second;
  }
  Found found = look_up();
  if (found.is_lasting && state && is_settled(*state)) {
    const std::lock_guard lock(mutex_);
    if (state == state_) answers_.emplace(key, found.answer);
  }
  return std::move(found.answer);
}

}  // namespace tilewright
