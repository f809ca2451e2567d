// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>

namespace tilewright {

// The value of a parameter, dimension or choice: an integer or a label.
using Value = std::variant<std::int64_t, std::string>;

// Values by name. Names are C identifiers. Labels consist of lower-case letters, digits and '_'.
using Settings = std::map<std::string, Value>;

// `32` or `replicate`.
inline std::string to_text(const Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  return std::get<std::string>(value);
}

// For people: `A=1 B=replicate`, sorted by name.
inline std::string to_text(const Settings& settings) {
  std::string text;
  for (const auto& [name, value] : settings) {
    if (!text.empty()) text += ' ';
    text += name + '=' + to_text(value);
  }
  return text;
}

// The key under which settings are stored: `{"A":1,"B":"replicate"}`, sorted by name, without
// spaces. Names and labels contain no characters that need escaping.
inline std::string canonical_json(const Settings& settings) {
  std::string text = "{";
  for (const auto& [name, value] : settings) {
    if (text.size() > 1) text += ',';
    text += '"' + name + "\":";
    const bool is_number = std::holds_alternative<std::int64_t>(value);
    text += is_number ? to_text(value) : '"' + to_text(value) + '"';
  }
  return text + '}';
}

// One value for every parameter of an implementation. An inactive parameter has its default value,
// so no two configurations of a space are the same code.
struct Configuration {
  Settings values;
  auto operator<=>(const Configuration&) const = default;
};

// An operation with a value for every dimension and choice, defaults filled in.
struct Problem {
  std::string operation;
  Settings values;
  auto operator<=>(const Problem&) const = default;
};

}  // namespace tilewright
