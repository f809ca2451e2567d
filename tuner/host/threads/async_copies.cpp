#include "tuner/host/threads/async_copies.hpp"

#include <cstddef>
#include <cstring>
#include <utility>

#include "tuner/host/threads/barrier_word.hpp"

namespace tilewright::host {

void BulkCopy::fetch() const {
  if (map)
    fetch_box(*map, place, shared);
  else
    std::memcpy(shared, global, bytes);
}

void BulkCopy::store() const {
  if (map)
    store_box(*map, place, shared);
  else
    std::memcpy(global, shared, bytes);
}

std::optional<std::string> PendingFetches::finish(const Fetch& fetch) {
  fetch.copy.fetch();
  auto word = BarrierWord::from_bits(*fetch.barrier);
  if (!word) return BarrierWord::kIsNone;
  if (auto error = word->complete(fetch.copy.bytes)) return error;
  *fetch.barrier = word->to_bits();
  return std::nullopt;
}

std::optional<std::string> PendingFetches::finish_some() {
  const auto parity_of = [](std::uint64_t bits) {
    const auto word = BarrierWord::from_bits(bits);
    return word ? std::optional(word->parity) : std::nullopt;
  };
  for (bool has_ended = false; !has_ended && !fetches_.empty(); fetches_.pop_front()) {
    const std::uint64_t* const barrier = fetches_.front().barrier;
    const auto before = parity_of(*barrier);
    if (auto error = finish(fetches_.front())) return error;
    has_ended = parity_of(*barrier) != before;
  }
  return std::nullopt;
}

void PendingStores::end_group() {
  groups_.push_back(std::exchange(open_, {}));
}

void PendingStores::wait(std::size_t groups) {
  if (groups_.size() <= groups) return;
  const auto last = groups_.end() - static_cast<std::ptrdiff_t>(groups);
  for (auto group = groups_.begin(); group != last; ++group)
    for (const BulkCopy& copy : *group) copy.store();
  groups_.erase(groups_.begin(), last);
}

}  // namespace tilewright::host
