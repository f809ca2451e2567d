#include "tools/convert/python_lexer.hpp"

#include <array>
#include <cctype>
#include <stdexcept>

namespace tilewright::tools {
namespace {

using TokenKind = PythonToken::Kind;

bool is_letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

// Longer ones first.
constexpr std::array<std::string_view, 29> kSymbols = {
    "**", "//", "<=", ">=", "==", "!=", "<<", ">>", ":=", "+", "-", "*", "/", "%", "<",
    ">",  "(",  ")",  "[",  "]",  "{",  "}",  ",",  ":",  ".", "&", "|", "^", "~"};

std::size_t end_of_number(std::string_view text, std::size_t at) {
  const auto digits = [&] {
    while (at < text.size() && is_digit(text[at])) ++at;
  };
  digits();
  if (at < text.size() && text[at] == '.') {
    ++at;
    digits();
  }
  if (at + 1 < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    const std::size_t sign = text[at + 1] == '+' || text[at + 1] == '-' ? 2 : 1;
    if (at + sign < text.size() && is_digit(text[at + sign])) {
      at += sign;
      digits();
    }
  }
  if (at < text.size() && is_letter(text[at])) throw std::invalid_argument("not a number");
  return at;
}

PythonToken label_at(std::string_view text, std::size_t at) {
  const std::size_t close = text.find(text[at], at + 1);
  const std::string_view inner =
      close == std::string_view::npos ? "" : text.substr(at + 1, close - at - 1);
  if (close == std::string_view::npos || inner.find_first_of("\\\n") != std::string_view::npos)
    throw std::invalid_argument("not a string");
  return {TokenKind::label, std::string(inner), at, close + 1};
}

PythonToken token_at(std::string_view text, std::size_t at) {
  const auto token = [&](TokenKind kind, std::size_t end) -> PythonToken {
    return {kind, std::string(text.substr(at, end - at)), at, end};
  };
  const char c = text[at];
  if (c == '\'' || c == '"') return label_at(text, at);
  if (is_digit(c) || (c == '.' && at + 1 < text.size() && is_digit(text[at + 1])))
    return token(TokenKind::number, end_of_number(text, at));
  if (is_letter(c)) {
    std::size_t end = at;
    while (end < text.size() && (is_letter(text[end]) || is_digit(text[end]))) ++end;
    return token(TokenKind::name, end);
  }
  for (const std::string_view symbol : kSymbols)
    if (text.substr(at).starts_with(symbol)) return token(TokenKind::symbol, at + symbol.size());
  throw std::invalid_argument("not a sign of an expression");
}

}  // namespace

std::vector<PythonToken> python_tokens(std::string_view text) {
  std::vector<PythonToken> tokens;
  for (std::size_t at = 0; at < text.size();) {
    if (is_space(text[at])) {
      ++at;
      continue;
    }
    tokens.push_back(token_at(text, at));
    at = tokens.back().end;
  }
  tokens.push_back({TokenKind::end, "", text.size(), text.size()});
  return tokens;
}

}  // namespace tilewright::tools
