// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "definition/expression/expression.hpp"

namespace tilewright {

// A C++ string literal: octal escapes, because they end after three digits; '?' too, for it may
// begin a trigraph.
std::string string_literal(const std::string& text);

// A C++ literal of type long long; the least integer has none of its own.
std::string number_literal(std::int64_t value);

// Labels as numbers: equal texts have equal numbers, in the order in which they were first met.
class LabelTable {
 public:
  std::int64_t number_of(const std::string& label);
  std::int64_t number_for(const Value& value);  // a number stands for itself
  const std::vector<std::string>& labels() const { return labels_; }

 private:
  std::vector<std::string> labels_;
  std::map<std::string, std::int64_t> numbers_;
};

// C++ for the value of a name: a parameter, a dimension, a property of the device.
using NameCode = std::function<std::string(const std::string& name)>;

// C++ that evaluates the tree as Expression::evaluate does, with `e`, a detail::Arithmetic of the
// header, whose `ok` is false where evaluate() throws. Labels become numbers. Skips what the
// operators skip.
std::string expression_code(const ExpressionNode& node, const NameCode& name, LabelTable& labels);

}  // namespace tilewright
