#include "tuner/host/threads/barrier_word.hpp"

#include <fmt/format.h>

#include <cstdlib>

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
