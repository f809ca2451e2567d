#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

// What each target defines: one input, which may hold anything. It may refuse it with InputError,
// and nothing else. The fuzzer calls it (tools/fuzz.sh), and replay.cpp, with the corpus, in each
// build's tests.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace tilewright::fuzz {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// A property that does not hold is a finding.
inline void expect(bool holds, const char* property) {
  if (holds) return;
  std::fprintf(stderr, "the property does not hold: %s\n", property);
  std::abort();
}

}  // namespace tilewright::fuzz
