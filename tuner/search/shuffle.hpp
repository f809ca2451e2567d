#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <utility>
#include <vector>

namespace tilewright {

// A uniform number in [0, bound), bound > 0. It replaces std::uniform_int_distribution, whose
// results for a seed differ between standard libraries, as those of std::shuffle do.
inline std::uint64_t below(std::uint64_t bound, std::mt19937_64& random) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t accepted = most - most % bound;
  std::uint64_t drawn = random();
  while (drawn >= accepted) drawn = random();
  return drawn % bound;
}

// A uniform number in [0, 1).
inline double unit(std::mt19937_64& random) {
  return static_cast<double>(random() >> 11) * 0x1.0p-53;
}

// Every order is equally likely. The same state of `random` gives the same order on every machine.
inline void shuffle(std::vector<std::size_t>& items, std::mt19937_64& random) {
  for (std::size_t i = items.size(); i > 1; --i)
    std::swap(items[i - 1], items[static_cast<std::size_t>(below(i, random))]);
}

}  // namespace tilewright
