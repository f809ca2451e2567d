#pragma once

#include <fmt/format.h>
#include <xxhash.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace tilewright {

inline constexpr std::string_view kHexadecimalDigits = "0123456789abcdef";

// Whether the text consists of this many hexadecimal digits, in lower case.
inline bool is_hexadecimal(std::string_view text, std::size_t digits) {
  return text.size() == digits && text.find_first_not_of(kHexadecimalDigits) == text.npos;
}

inline std::string to_hex(XXH128_hash_t hash) {
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

// XXH3-128 of a string or a vector of bytes, in hex.
template <class Bytes>
std::string hex_hash(const Bytes& bytes) {
  return to_hex(XXH3_128bits(bytes.data(), bytes.size()));
}

// The same of bytes that come in parts: it depends on the bytes alone.
class ByteHash {
 public:
  ByteHash() : state_(XXH3_createState(), XXH3_freeState) { XXH3_128bits_reset(state_.get()); }
  template <class Bytes>
  void add(const Bytes& bytes) {
    XXH3_128bits_update(state_.get(), bytes.data(), bytes.size());
  }
  std::string hex() const { return to_hex(XXH3_128bits_digest(state_.get())); }

 private:
  std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state_;
};

// XXH3-128 of a sequence of numbers and texts. A text follows its length, so that different
// sequences never give the same bytes.
class SequenceHash {
 public:
  void add(std::uint64_t number) {
    bytes_.add(std::string_view(reinterpret_cast<const char*>(&number), sizeof number));
  }
  void add(std::string_view text) {
    add(text.size());
    bytes_.add(text);
  }
  std::string hex() const { return bytes_.hex(); }

 private:
  ByteHash bytes_;
};

}  // namespace tilewright
