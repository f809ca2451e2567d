#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "definition/text/names.hpp"

namespace tilewright {

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
