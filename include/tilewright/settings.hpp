// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>

namespace tilewright {

// One value of a parameter, dimension or choice: an integer, or the label of an enumerated one.
using Value = std::variant<std::int64_t, std::string>;

// Names with their values, sorted by name. Names are C identifiers; labels are lower-case words
// of letters, digits and '_'.
using Settings = std::map<std::string, Value>;

// `32` or `replicate`.
inline std::string to_text(const Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  return std::get<std::string>(value);
}

// `A=1 B=replicate`, sorted by name: for people.
inline std::string to_text(const Settings& settings) {
  std::string text;
  for (const auto& [name, value] : settings) {
    if (!text.empty()) text += ' ';
    text += name + '=' + to_text(value);
  }
  return text;
}

// `{"A":1,"B":"replicate"}`, sorted by name, no spaces: the key under which settings are stored.
// Needs no escaping, because names and labels hold none of the characters that do.
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

// One value for every active parameter of an implementation, and for every inactive one its
// canonical value; so no two configurations of a space are the same code.
struct Configuration {
  Settings values;
  auto operator<=>(const Configuration&) const = default;
};

// Everything that fixes the work of an operation: all its dimensions and choices, defaults
// filled in.
struct Problem {
  std::string operation;
  Settings values;
  auto operator<=>(const Problem&) const = default;
};

}  // namespace tilewright
