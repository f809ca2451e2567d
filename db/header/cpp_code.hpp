#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "definition/expression/expression.hpp"

namespace tilewright {

// `text` as a C++ name. A keyword or a name that the header uses gets a '_'.
std::string cpp_name(const std::string& text);

// A static array in a class. An empty one gets an unused element.
std::string static_array(const std::string& type, const std::string& name,
                         const std::vector<std::string>& items);

// A C++ expression of type long long.
std::string number_literal(std::int64_t value);

// Numbers labels in the order in which they first occur.
class LabelTable {
 public:
  std::int64_t number_of(const std::string& label);
  std::int64_t number_for(const Value& value);  // an integer is its own number
  const std::vector<std::string>& labels() const { return labels_; }

 private:
  std::vector<std::string> labels_;
  std::map<std::string, std::int64_t> numbers_;
};

// C++ for the value of a name: a parameter, a dimension, a property of the device.
using NameCode = std::function<std::string(const std::string& name)>;

// C++ that evaluates the tree as Expression::evaluate does, with the same short circuits. It uses
// `e`, a detail::Arithmetic of the header, whose `ok` becomes false where evaluate() throws. Labels
// become numbers.
std::string expression_code(const ExpressionNode& node, const NameCode& name, LabelTable& labels);

}  // namespace tilewright
