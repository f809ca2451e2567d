#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tilewright {

// ASCII, whatever the locale is.
constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
constexpr bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}
constexpr bool starts_name(char c) {
  return is_lower(c) || (c >= 'A' && c <= 'Z') || c == '_';
}
constexpr bool continues_name(char c) {
  return starts_name(c) || is_digit(c);
}

struct Token {
  enum class Kind { number, label, name, symbol, end } kind = Kind::end;
  std::string_view text;     // label: without its quotes
  std::uint64_t number = 0;  // up to 2^63, the magnitude of the least integer
  std::size_t position = 0;
  std::int64_t divisor = 1;  // of a real number, which is number ÷ divisor

  bool is(std::string_view symbol) const { return kind == Kind::symbol && text == symbol; }
};

// For messages: `'<='`, `the end`.
std::string describe(const Token& token);

// Splits an expression's text into tokens. The text must outlive the tokens.
class Lexer {
 public:
  enum class Numbers { whole, real };

  Lexer(std::string_view text, Numbers numbers) : text_(text), numbers_(numbers) {}

  // Returns `end` after the last token, however often it is called. Throws ExpressionError.
  Token next();

 private:
  Token number();
  Token real_number();
  Token name();
  Token label();
  Token symbol();
  Token take(Token::Kind kind, std::size_t length);
  char at(std::size_t position) const { return position < text_.size() ? text_[position] : '\0'; }

  std::string_view text_;
  Numbers numbers_;
  std::size_t position_ = 0;
};

}  // namespace tilewright
