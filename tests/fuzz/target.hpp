#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>

namespace tilewright::fuzz {

using Target = int (*)(const std::uint8_t* data, std::size_t size);

// By name, in a program that has several.
inline std::map<std::string, Target>& targets() {
  static std::map<std::string, Target> all;
  return all;
}

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

// TILEWRIGHT_FUZZ_TARGET(name) { … } takes one input, `data` and `size`, which may hold anything.
// It may refuse it with InputError, and nothing else. With TILEWRIGHT_FUZZ each target is a program
// for the fuzzer (tools/fuzz.sh). In other builds replay.cpp gives all targets their corpus.
#ifdef TILEWRIGHT_FUZZ
#define TILEWRIGHT_FUZZ_TARGET(name) \
  extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
#else
#define TILEWRIGHT_FUZZ_TARGET(name)                                   \
  static int name##_input(const std::uint8_t* data, std::size_t size); \
  [[maybe_unused]] static const bool name##_is_known =                 \
      tilewright::fuzz::targets().emplace(#name, name##_input).second; \
  static int name##_input(const std::uint8_t* data, std::size_t size)
#endif
