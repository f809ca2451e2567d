#include "db/header/cpp_code.hpp"

#include <fmt/format.h>

#include <cctype>
#include <set>

#include "definition/expression/operators.hpp"

namespace tilewright {
namespace {

// Keywords up to C++20, macros of compilers, and the header's own names.
const std::set<std::string>& taken_names() {
  // clang-format off
  static const auto& names = *new const std::set<std::string>{
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

std::string number_literal(std::int64_t value) {
  if (value == INT64_MIN) return "(-9223372036854775807LL - 1)";
  return value < 0 ? fmt::format("({}LL)", value) : fmt::format("{}LL", value);
}

std::int64_t LabelTable::number_of(const std::string& label) {
  const auto [at, is_new] = numbers_.emplace(label, static_cast<std::int64_t>(labels_.size()));
  if (is_new) labels_.push_back(label);
  return at->second;
}

std::int64_t LabelTable::number_for(const Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return *number;
  return number_of(std::get<std::string>(value));
}

std::string expression_code(const ExpressionNode& node, const NameCode& name, LabelTable& labels) {
  const auto child = [&](std::size_t i) { return expression_code(node.children[i], name, labels); };
  const auto truth = [&](const char* zero, std::string_view sign) {
    return fmt::format("({}{} {} {}{} ? 1LL : 0LL)", child(0), zero, sign, child(1), zero);
  };
  const OperatorFacts& facts = facts_of(node.op);
  if (facts.method != nullptr) {
    std::string text = child(0);
    if (node.children.size() == 1) return fmt::format("e.{}({})", facts.method, text);
    for (std::size_t i = 1; i < node.children.size(); ++i)  // e.minimum(e.minimum(a, b), c)
      text = fmt::format("e.{}({}, {})", facts.method, text, child(i));
    return text;
  }
  if (facts.precedence == kComparisonPrecedence) return truth("", facts.name);
  switch (node.op) {
    case Operator::number:
      return number_literal(node.number);
    case Operator::label:
      return number_literal(labels.number_of(node.text));
    case Operator::name:
      return name(node.text);
    case Operator::otherwise:  // the header's problems and configurations are whole
      return child(0);
    case Operator::logical_and:
      return truth(" != 0", "&&");
    case Operator::logical_or:
      return truth(" != 0", "||");
    case Operator::logical_not:
      return fmt::format("({} == 0 ? 1LL : 0LL)", child(0));
    case Operator::conditional:
      return fmt::format("({} != 0 ? {} : {})", child(0), child(1), child(2));
    default:
      return "e.fail()";
  }
}

}  // namespace tilewright
