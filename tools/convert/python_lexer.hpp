#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::tools {

struct PythonToken {
  enum class Kind { number, label, name, symbol, end } kind = Kind::end;
  std::string text;  // label: without quotes
  std::size_t begin = 0, end = 0;

  bool is(std::string_view wanted) const {
    return (kind == Kind::symbol || kind == Kind::name) && text == wanted;
  }
};

// The tokens of an expression, with `end` as the last one. Throws std::invalid_argument whose text
// says what is no token.
std::vector<PythonToken> python_tokens(std::string_view text);

}  // namespace tilewright::tools
