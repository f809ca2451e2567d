#pragma once

#include <cstddef>
#include <cstdint>
#include <random>

// libFuzzer's own changes of bytes. What a mutator does not understand goes there.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace tilewright::fuzz {

using Random = std::minstd_rand;

// From 0 to end - 1. REQUIRES end > 0.
inline std::size_t below(Random& random, std::size_t end) {
  return std::uniform_int_distribution<std::size_t>(0, end - 1)(random);
}

}  // namespace tilewright::fuzz
