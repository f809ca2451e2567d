#include "db/header/cpp_text.hpp"

#include <fmt/format.h>

#include <cctype>
#include <set>

namespace tilewright {
namespace {

// Keywords up to C++20, macros of compilers, and the header's own names.
const std::set<std::string>& taken_names() {
  // clang-format off
  static const std::set<std::string> names = {
      "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break",
      "case", "catch", "char", "char16_t", "char32_t", "char8_t", "class", "co_await", "co_return",
      "co_yield", "compl", "concept", "const", "const_cast", "consteval", "constexpr", "constinit",
      "continue", "decltype", "default", "delete", "detail", "devices", "do", "double",
      "dynamic_cast", "else", "enum", "explicit", "export", "extern", "false", "find_device",
      "float", "for", "friend", "goto", "if", "inline", "int", "long", "mutable", "namespace",
      "new", "noexcept", "not", "not_eq", "nullptr", "operator", "or", "or_eq", "private",
      "protected", "public", "register", "reinterpret_cast", "requires", "return", "short",
      "signed", "sizeof", "static", "static_assert", "static_cast", "struct", "switch", "template",
      "this", "thread_local", "throw", "true", "try", "typedef", "typeid", "typename", "union",
      "unset", "unsigned", "using", "virtual", "void", "volatile", "wchar_t", "while", "xor",
      "xor_eq", "near", "far", "small", "look_up", "exact", "device_count", "Problem", "unix",
      "linux", "Answer", "Cache", "Device", "Implementation", "Parameter", "Row", "Rung",
      "most_parameters",
  };
  // clang-format on
  return names;
}

}  // namespace

std::string cpp_name(const std::string& text) {
  if (taken_names().contains(text)) return text + '_';
  return std::isdigit(static_cast<unsigned char>(text.front())) != 0 ? '_' + text : text;
}

std::string static_array(const std::string& type, const std::string& name,
                         const std::vector<std::string>& items) {
  std::string text = fmt::format("  static constexpr {} {}[] = {{", type, name);
  for (const std::string& item : items) text += "\n      " + item + ',';
  return text + (items.empty() ? "{}};\n" : "\n  };\n");
}

}  // namespace tilewright
