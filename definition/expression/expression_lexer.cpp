#include "definition/expression/expression_lexer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <utility>

#include "definition/expression/expression.hpp"
#include "definition/text/escape.hpp"

namespace tilewright {
namespace {

constexpr std::uint64_t kLargestLiteral = std::uint64_t{1} << 63;

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

constexpr std::array<std::string_view, 19> kSymbols = {"==", "!=", "<=", ">=", "&&", "||", "<",
                                                       ">",  "+",  "-",  "*",  "/",  "%",  "!",
                                                       "?",  ":",  "(",  ")",  ","};

constexpr std::pair<char, const char*> kHints[] = {
    {'=', "'=' is not an operator; equality is '=='"},
    {'&', "'&' is not an operator; logical and is '&&'"},
    {'|', "'|' is not an operator; logical or is '||'"},
    {'.', "'.' stands only inside a name such as device.sm_count; numbers are whole"},
};

std::string unknown_character(char c) {
  for (const auto& [known, hint] : kHints)
    if (known == c) return hint;
  if (c > ' ' && c <= '~') return fmt::format("unexpected character '{}'", c);
  return fmt::format("unexpected byte 0x{:02x}", static_cast<unsigned char>(c));
}

}  // namespace

std::string describe(const Token& token) {
  if (token.kind == Token::Kind::end) return "the end";
  return fmt::format("{}'{}'", token.kind == Token::Kind::label ? "the label " : "",
                     beginning_of(token.text));
}

Token Lexer::take(Token::Kind kind, std::size_t length) {
  Token token{kind, text_.substr(position_, length), 0, position_};
  position_ += length;
  return token;
}

Token Lexer::next() {
  while (is_space(at(position_))) ++position_;
  if (position_ >= text_.size()) return Token{Token::Kind::end, {}, 0, text_.size()};
  const char c = at(position_);
  if (is_digit(c)) return numbers_ == Numbers::real ? real_number() : number();
  if (starts_name(c)) return name();
  if (c == '\'' || c == '"') return label();
  return symbol();
}

Token Lexer::number() {
  std::size_t length = 0;
  while (is_digit(at(position_ + length))) ++length;
  const char after = at(position_ + length);
  if (after == '.' || starts_name(after))
    throw ExpressionError("numbers are whole and decimal, without suffix or exponent", position_);
  Token token = take(Token::Kind::number, length);
  const char* const end = token.text.data() + token.text.size();
  const auto result = std::from_chars(token.text.data(), end, token.number);
  if (result.ec != std::errc{} || token.number > kLargestLiteral)
    throw ExpressionError(fmt::format("{} does not fit into 64 bits", beginning_of(token.text)),
                          token.position);
  return token;
}

// Digits, a fraction and an exponent. A quotient of two integers of 64 bits has its exact value.
Token Lexer::real_number() {
  const std::size_t start = position_;
  std::size_t place = start;
  std::string digits;
  int exponent = 0;
  while (is_digit(at(place))) digits += at(place++);
  if (at(place) == '.' && is_digit(at(place + 1)))
    for (++place; is_digit(at(place)); --exponent) digits += at(place++);
  const bool has_sign = at(place + 1) == '-' || at(place + 1) == '+';
  if ((at(place) == 'e' || at(place) == 'E') && is_digit(at(place + (has_sign ? 2 : 1)))) {
    int written = 0;
    const bool is_negative = at(place + 1) == '-';
    for (place += has_sign ? 2 : 1; is_digit(at(place)); ++place)
      written = std::min(10 * written + (at(place) - '0'), 1000);
    exponent += is_negative ? -written : written;
  }
  if (at(place) == '.' || starts_name(at(place)))
    throw ExpressionError("numbers are decimal, such as 12, 0.5 or 1e9, without suffix", start);
  while (exponent < 0 && digits.ends_with('0') && digits.size() > 1) digits.pop_back(), ++exponent;
  Token token = take(Token::Kind::number, place - start);
  const auto does_not_fit = [&] {
    throw ExpressionError(
        fmt::format("{} is not a quotient of two integers of 64 bits", beginning_of(token.text)),
        start);
  };
  if (exponent > 18 || exponent < -18) does_not_fit();
  if (exponent > 0) digits.append(static_cast<std::size_t>(exponent), '0');
  for (; exponent < 0; ++exponent) token.divisor *= 10;
  const char* const end = digits.data() + digits.size();
  const auto result = std::from_chars(digits.data(), end, token.number);
  if (result.ec != std::errc{} || token.number > kLargestLiteral) does_not_fit();
  return token;
}

Token Lexer::name() {
  std::size_t length = 0;
  for (;;) {
    while (continues_name(at(position_ + length))) ++length;
    const bool goes_on = at(position_ + length) == '.' && starts_name(at(position_ + length + 1));
    if (!goes_on) return take(Token::Kind::name, length);
    ++length;
  }
}

Token Lexer::label() {
  const std::size_t start = position_;
  const std::size_t end = text_.find(text_[start], start + 1);
  if (end == std::string_view::npos)
    throw ExpressionError(fmt::format("the label has no closing {}", text_[start]), start);
  position_ = end + 1;
  return Token{Token::Kind::label, text_.substr(start + 1, end - start - 1), 0, start};
}

Token Lexer::symbol() {
  for (const std::string_view symbol : kSymbols) {
    if (text_.substr(position_, symbol.size()) == symbol)
      return take(Token::Kind::symbol, symbol.size());
  }
  throw ExpressionError(unknown_character(text_[position_]), position_);
}

}  // namespace tilewright
