#pragma once

#include <cstddef>
#include <string_view>

namespace tilewright {

inline constexpr std::string_view kHexadecimalDigits = "0123456789abcdef";

// Whether the text consists of this many hexadecimal digits, in lower case.
inline bool is_hexadecimal(std::string_view text, std::size_t digits) {
  return text.size() == digits && text.find_first_not_of(kHexadecimalDigits) == text.npos;
}

}  // namespace tilewright
