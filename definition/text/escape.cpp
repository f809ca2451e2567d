#include "definition/text/escape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "definition/text/scanner.hpp"

namespace tilewright {
namespace {

struct Character {
  std::size_t size = 1;
  std::optional<std::uint32_t> code;  // unset: a byte that is not UTF-8
};

// The first character of a text that is not empty.
Character first_of(std::string_view text) {
  const auto byte = [text](std::size_t i) -> std::uint32_t {
    return static_cast<unsigned char>(text[i]);
  };
  const std::uint32_t lead = byte(0);
  if (lead < 0x80) return {1, lead};
  const std::size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < size) return {};
  std::uint32_t code = lead & (0x7FU >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return {};
    code = code << 6U | (byte(i) & 0x3FU);
  }
  const bool is_too_long = (size == 3 && code < 0x800) || (size == 4 && code < 0x10000);
  const bool is_surrogate = code >= 0xD800 && code < 0xE000;
  if (is_too_long || is_surrogate || code > 0x10FFFF) return {};
  return {size, code};
}

// Commands a terminal, ends a line for some reader, or changes the order of what is shown.
bool is_hidden(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x61C || code == 0x200E ||
         code == 0x200F || (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

// `stays` says which characters are left alone; `escape` writes the others.
template <class Stays, class Escape>
std::string escaped(std::string_view text, const Stays& stays, const Escape& escape) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const Character first = first_of(text);
    const std::string_view bytes = text.substr(0, first.size);
    if (first.code && stays(*first.code))
      result += bytes;
    else
      result += escape(first.code.value_or(static_cast<unsigned char>(bytes.front())));
    text.remove_prefix(first.size);
  }
  return result;
}

std::string shown(std::uint32_t code) {
  return code < 0x100 ? fmt::format("\\x{:02x}", code) : fmt::format("\\u{:04x}", code);
}

struct ShortEscape {
  std::uint32_t code;
  const char* text;
};

// What tilewright's own texts and manifests use.
constexpr ShortEscape kShortEscapes[] = {
    {0xB0, ""},    {0xB1, "+-"},   {0xB2, "2"},    {0xB3, "3"},     {0xB5, "u"},    {0xB7, "*"},
    {0xD7, "x"},   {0xF7, "/"},    {0x3BC, "u"},   {0x2013, "-"},   {0x2014, "-"},  {0x2018, "'"},
    {0x2019, "'"}, {0x201C, "\""}, {0x201D, "\""}, {0x2026, "..."}, {0x2192, "->"}, {0x2212, "-"},
    {0x2248, "~"}, {0x2264, "<="}, {0x2265, ">="},
};

std::string written(std::uint32_t code) {
  for (const ShortEscape& known : kShortEscapes)
    if (known.code == code) return known.text;
  return shown(code);
}

bool is_one_of(char c, std::string_view set) {
  return set.find(c) != std::string_view::npos;
}

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

}  // namespace

std::string visible(std::string_view text) {
  return escaped(
      text, [](std::uint32_t code) { return !is_hidden(code) || code == '\n' || code == '\t'; },
      shown);
}

std::string visible_line(std::string_view text) {
  return escaped(
      text, [](std::uint32_t code) { return !is_hidden(code); }, shown);
}

std::string beginning_of(std::string_view text) {
  std::size_t size = 80;
  if (text.size() <= size) return std::string(text);
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0U) == 0x80) --size;
  return std::string(text.substr(0, size)) + "…";
}

std::string in_ascii(std::string_view text) {
  return escaped(
      text, [](std::uint32_t code) { return code < 0x80; }, written);
}

std::string cpp_comment(std::string_view text) {
  std::string line(text);
  for (char& c : line) {
    if (is_one_of(c, "\t\n\v\f\r")) c = ' ';
    if (c == '\\') c = '/';
  }
  line = visible_line(line);
  // Before C++17, ??/ is a backslash.
  for (std::size_t at = 0; (at = line.find("?\?/", at)) != std::string::npos;)
    line.insert(at + 2, " ");
  return line.empty() ? "//" : "// " + line;
}

std::string cpp_literal(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7f || is_one_of(c, "\"\\?"))
      result += fmt::format("\\{:03o}", byte);
    else
      result += c;
  }
  return result + '"';
}

std::string cpp_macro_part(std::string_view text) {
  std::string name(text);
  for (char& c : name) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    if (!is_letter_or_digit(c)) c = '_';
  }
  return name;
}

std::string csv_field(std::string_view text) {
  const bool is_formula =
      !text.empty() && is_one_of(text.front(), "=+-@\t\r") && !number_in<double>(text);
  std::string field = (is_formula ? "'" : "") + std::string(text);
  if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
  for (std::size_t at = 0; (at = field.find('"', at)) != std::string::npos; at += 2)
    field.insert(at, "\"");
  return '"' + field + '"';
}

std::string shell_word(std::string_view text) {
  const bool is_plain = !text.empty() && std::ranges::all_of(text, [](char c) {
    return is_letter_or_digit(c) || is_one_of(c, "_@%+=:,./-");
  });
  if (is_plain) return std::string(text);
  std::string word = "'";
  for (const char c : text) {
    if (c == '\'')
      word += "'\\''";
    else if (c != '\0')
      word += c;
  }
  return word + '\'';
}

std::string visible_json(std::string_view json) {
  return escaped(
      json, [](std::uint32_t code) { return !is_hidden(code) || code < 0x20; },
      [](std::uint32_t code) { return fmt::format("\\u{:04x}", code); });
}

}  // namespace tilewright
