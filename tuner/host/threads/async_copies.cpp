#include "tuner/host/threads/async_copies.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace tilewright::host {
namespace {

// From the lowest bit: missing, arrivals, missing_bytes, a bit that is 0, parity.
constexpr int kArrivalsAt = 20;
constexpr int kBytesAt = 40;
constexpr int kZeroAt = 62;
constexpr int kParityAt = 63;
constexpr std::uint64_t kCount = (1 << 20) - 1;
constexpr std::uint64_t kBytes = (1 << 21) - 1;
constexpr int kBytesZero = 1 << 20;  // stored for 0

}  // namespace

void BulkCopy::fetch() const {
  if (map)
    fetch_box(*map, place, shared, offsets);
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

void PendingStores::wait(std::size_t groups) {
  if (groups_.size() <= groups) return;
  const auto last = groups_.end() - static_cast<std::ptrdiff_t>(groups);
  for (auto group = groups_.begin(); group != last; ++group)
    for (const BulkCopy& copy : *group) copy.store();
  groups_.erase(groups_.begin(), last);
}

std::optional<BarrierWord> BarrierWord::from_bits(std::uint64_t bits) {
  BarrierWord word;
  word.missing = static_cast<unsigned>(bits & kCount);
  word.arrivals = static_cast<unsigned>(bits >> kArrivalsAt & kCount);
  word.missing_bytes = static_cast<int>(bits >> kBytesAt & kBytes) - kBytesZero;
  word.parity = static_cast<unsigned>(bits >> kParityAt);
  const bool is_one = (bits >> kZeroAt & 1) == 0 && word.arrivals > 0 &&
                      word.missing <= word.arrivals && word.missing_bytes > -kBytesZero;
  return is_one ? std::optional(word) : std::nullopt;
}

std::uint64_t BarrierWord::to_bits() const {
  return std::uint64_t{missing} | std::uint64_t{arrivals} << kArrivalsAt |
         static_cast<std::uint64_t>(missing_bytes + kBytesZero) << kBytesAt |
         std::uint64_t{parity} << kParityAt;
}

std::optional<std::string> BarrierWord::arrive(unsigned expected_bytes) {
  if (missing == 0) return fmt::format("has more than {} arrivals in a phase", arrivals);
  if (expected_bytes > static_cast<unsigned>(kMostBytes) ||
      missing_bytes + static_cast<int>(expected_bytes) > kMostBytes)
    return fmt::format("expects {} more bytes; it counts at most {}", expected_bytes, kMostBytes);
  missing_bytes += static_cast<int>(expected_bytes);
  --missing;
  return end_phase();
}

std::optional<std::string> BarrierWord::complete(unsigned bytes) {
  if (bytes > static_cast<unsigned>(kMostBytes) ||
      missing_bytes - static_cast<int>(bytes) < -kMostBytes)
    return fmt::format("has {} bytes more than were expected; it counts at most {}", bytes,
                       kMostBytes);
  missing_bytes -= static_cast<int>(bytes);
  return end_phase();
}

std::optional<std::string> BarrierWord::end_phase() {
  if (missing > 0) return std::nullopt;
  if (missing_bytes < 0)
    return fmt::format("has {} bytes more than were expected", std::abs(missing_bytes));
  if (missing_bytes > 0) return std::nullopt;
  missing = arrivals;
  parity ^= 1;
  return std::nullopt;
}

}  // namespace tilewright::host
