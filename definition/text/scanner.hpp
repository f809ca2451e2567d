#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

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

// A place in C code. What is called skips and returns true, or returns false and stays. In the
// place of regular expressions, whose stack grows with the text.
class Scanner {
 public:
  explicit Scanner(std::string_view text, std::size_t at = 0) : text_(text), at_(at) {}

  static constexpr std::size_t kFarthest = 1024;

  std::size_t at() const { return at_; }
  std::string_view rest() const { return text_.substr(at_); }

  bool blanks() {  // at least one
    const std::size_t end = std::min(text_.find_first_not_of(" \t\r\n\v\f", at_), text_.size());
    return end > std::exchange(at_, end);
  }
  bool piece(std::string_view piece) {
    if (!rest().starts_with(piece)) return false;
    at_ += piece.size();
    return true;
  }
  bool word(std::string_view word) {  // a whole name
    const std::size_t end = at_ + word.size();
    return (end >= text_.size() || !is_of_name(text_[end])) && piece(word);
  }
  // Up to the first of these characters; nothing if none is among the next kFarthest characters.
  std::optional<std::string_view> until(std::string_view characters) {
    const std::string_view near = rest().substr(0, kFarthest);
    const std::size_t end = near.find_first_of(characters);
    if (end == std::string_view::npos) return std::nullopt;
    at_ += end;
    return near.substr(0, end);
  }

 private:
  std::string_view text_;
  std::size_t at_;
};

// Calls `replace` with a Scanner behind each whole name `word`. What it returns takes the place of
// the name and of what it skipped; nothing: all stays.
template <class Replace>
std::string replace_at(std::string_view text, std::string_view word, const Replace& replace) {
  std::string result;
  std::size_t kept = 0;
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at)) {
    Scanner scanner(text, at);
    const bool is_whole = (at == 0 || !is_of_name(text[at - 1])) && scanner.word(word);
    const std::optional<std::string> other =
        is_whole ? std::optional<std::string>(replace(scanner)) : std::nullopt;
    if (other) result.append(text, kept, at - kept).append(*other);
    at = other ? kept = scanner.at() : at + word.size();
  }
  return result.append(text, kept);
}

}  // namespace tilewright
