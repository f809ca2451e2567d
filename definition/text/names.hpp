#pragma once

#include <cctype>
#include <cstddef>
#include <string_view>

namespace tilewright {

// Whether C has this character in names.
inline bool is_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Calls visit(name, the name before it, the character behind it but blanks) for each name and
// number in C code, also in comments. At the end of the text the character is a new line.
template <class Visit>
void each_name(std::string_view text, const Visit& visit) {
  std::string_view before;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    while (at < text.size() && is_of_name(text[at])) ++at;
    if (at == begin) {
      ++at;
      continue;
    }
    const std::string_view name = text.substr(begin, at - begin);
    const std::size_t next = text.find_first_not_of(" \t", at);
    visit(name, before, next == std::string_view::npos ? '\n' : text[next]);
    before = name;
  }
}

}  // namespace tilewright
