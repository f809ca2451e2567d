// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "definition/macro_names.hpp"

namespace tilewright {
namespace {

std::string upper(std::string text) {
  for (char& c : text)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return text;
}

}  // namespace

std::string label_macro(const std::string& name, const std::string& label) {
  return upper(name + '_' + label);
}

std::string problem_macro(const std::string& name) {
  return upper("problem_" + name);
}

}  // namespace tilewright
