#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::tools {

// An expression of Python, as far as problem files have them.
struct PythonNode {
  enum class Kind {
    number,         // digits, with a point or an exponent if it is real, in `text`
    label,          // a string, in `text`
    name,           // in `text`
    unary,          // operator in `text`: + - not ~
    binary,         // operator in `text`
    comparison,     // children compared by `operators`, chained
    all,            // and
    any,            // or
    conditional,    // condition, then, else
    call,           // of the name in `text`
    list,           // also a tuple or a set
    comprehension,  // element, iterable, conditions; the variable is in `text`
    subscript,      // value, index
    unknown,        // anything else
  } kind = Kind::unknown;
  std::string text;
  std::vector<PythonNode> children;
  std::vector<std::string> operators;
  std::size_t begin = 0, end = 0;  // its place in the text
};

struct PythonExpression {
  std::string text;
  PythonNode root;

  std::string_view text_of(const PythonNode& node) const {
    return std::string_view(text).substr(node.begin, node.end - node.begin);
  }
};

// What parse_python accepts at most; the same in bindings/python.
inline constexpr std::size_t kLongestPython = 10000;
inline constexpr int kDeepestPython = 100;

// Throws InputError that names the text.
PythonExpression parse_python(std::string_view text);

// The beginning of a text, for messages.
std::string short_text(std::string_view text);

}  // namespace tilewright::tools
