#include <cstddef>
#include <utility>

#include "definition/json/codec.hpp"
#include "tuner/foreign/formats.hpp"

namespace tilewright {

std::string with_quoted_numbers(std::string text) {
  if (text.find("NaN") == std::string::npos && text.find("Infinity") == std::string::npos)
    return text;
  std::string quoted;
  quoted.reserve(text.size() + text.size() / 8);
  bool in_string = false;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t size = 1;
    for (const std::string_view number : {"NaN", "Infinity", "-Infinity"})
      if (!in_string && text.compare(i, number.size(), number) == 0) size = number.size();
    if (in_string && text[i] == '\\' && i + 1 < text.size()) size = 2;
    if (text[i] == '"') in_string = !in_string;
    const std::string part = text.substr(i, size);
    quoted += !in_string && size > 1 ? '"' + part + '"' : part;
    i += size;
  }
  return quoted;
}

std::optional<nlohmann::json> parse_what_is_whole(const std::string& text) {
  constexpr std::size_t around = 2;
  std::string open;  // for each open bracket, what closes it
  std::string whole;
  std::size_t end = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      for (++i; i < text.size() && text[i] != '"'; ++i)
        if (text[i] == '\\') ++i;
    } else if (c == '{' || c == '[') {
      open += c == '{' ? '}' : ']';
    } else if (c == '}' || c == ']') {
      if (open.empty() || open.back() != c) return std::nullopt;
      open.pop_back();
      if (c == '}' && open.size() <= around) {
        end = i + 1;
        whole.assign(open.rbegin(), open.rend());
      }
    }
  }
  if (open.empty()) return std::nullopt;  // it does not end early
  nlohmann::json document = parse_sorted(text.substr(0, end) + whole);
  return document.is_discarded() ? std::nullopt : std::optional(std::move(document));
}

}  // namespace tilewright
