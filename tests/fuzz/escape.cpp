#include "definition/text/escape.hpp"

#include <algorithm>
#include <string>

#include "tests/fuzz/target.hpp"

using namespace tilewright;

namespace {

bool is_printable_ascii(unsigned char c) {
  return c >= ' ' && c <= '~';
}

// Whether the text is one literal of C++: no quotation mark inside ends it.
bool is_literal(const std::string& text) {
  if (text.size() < 2 || text.front() != '"' || text.back() != '"') return false;
  for (std::size_t i = 1; i + 1 < text.size(); ++i) {
    if (text[i] == '"') return false;
    if (text[i] == '\\' && ++i + 1 >= text.size()) return false;
  }
  return std::ranges::all_of(text, is_printable_ascii);
}

// The word that a POSIX shell makes of the text; the second is false if it is not exactly one.
std::pair<std::string, bool> word_of(const std::string& text) {
  std::string word;
  bool in_quotes = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\'') {
      in_quotes = !in_quotes;
    } else if (!in_quotes && c == '\\') {
      if (++i == text.size()) return {word, false};
      word += text[i];
    } else if (!in_quotes &&
               std::string(" \t\n\"$`;&|<>()*?[]{}!~#").find(c) != std::string::npos) {
      return {word, false};
    } else {
      word += c;
    }
  }
  return {word, !in_quotes && !text.empty()};
}

bool is_field(const std::string& text) {
  if (!text.starts_with('"')) return text.find_first_of(",\"\r\n") == std::string::npos;
  for (std::size_t i = 1; i + 1 < text.size(); ++i)
    if (text[i] == '"' && (++i + 1 >= text.size() || text[i] != '"')) return false;
  return text.size() >= 2 && text.ends_with('"');
}

}  // namespace

TILEWRIGHT_FUZZ_TARGET(escape) {
  const std::string text(fuzz::text_of(data, size));
  const auto is_control = [](unsigned char c) { return c < ' ' || c == 0x7f; };
  fuzz::expect(std::ranges::none_of(visible_line(text), is_control), "a visible line is one line");
  const std::string comment = cpp_comment(text);
  fuzz::expect(comment.starts_with("//") && std::ranges::none_of(comment, is_control) &&
                   !comment.ends_with('\\'),
               "a comment ends where its line ends");
  fuzz::expect(is_literal(cpp_literal(text)), "a literal is one literal");
  fuzz::expect(is_field(csv_field(text)), "a field is one field");
  std::string without_nul = text;
  std::erase(without_nul, '\0');
  const auto [word, is_one] = word_of(shell_word(text));
  fuzz::expect(is_one && word == without_nul, "a shell reads one word, the text");
  return 0;
}
