#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tilewright::host {

// The state of an mbarrier, which a kernel keeps in 8 bytes of its shared memory. A phase ends when
// all its arrivals and all bytes that were expected have come. The next one has the other parity;
// the first has parity 0.
struct BarrierWord {
  unsigned arrivals = 1;  // of each phase, 1 to kMostArrivals
  unsigned missing = 1;   // arrivals
  int missing_bytes = 0;  // below 0: that came before they were expected
  unsigned parity = 0;

  static constexpr unsigned kMostArrivals = (1U << 20) - 1;
  static constexpr int kMostBytes = (1 << 20) - 1;
  // What is wrong with a barrier of which from_bits() gives nothing.
  static constexpr const char* kIsNone = "was not initialised, or has been overwritten";

  // Nothing if the 8 bytes are none that to_bits() gives, as poisoned memory is not.
  static std::optional<BarrierWord> from_bits(std::uint64_t bits);
  std::uint64_t to_bits() const;

  // What cannot be is returned as one sentence's end, "has …", and then the state is of no use.
  std::optional<std::string> arrive(unsigned expected_bytes);
  std::optional<std::string> complete(unsigned bytes);

 private:
  std::optional<std::string> end_phase();
};

}  // namespace tilewright::host
