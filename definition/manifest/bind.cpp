#include "definition/manifest/manifest.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "definition/general.hpp"
#include "definition/text/errors.hpp"
#include "definition/text/suggest.hpp"

namespace tilewright {
namespace {

// Nodes that stand for size_of, in the expressions of an operation or an implementation together.
constexpr std::size_t kMostSizeNodes = 16'384;

std::size_t nodes_in(const ExpressionNode& node) {
  std::size_t count = 1;
  for (const ExpressionNode& child : node.children) count += nodes_in(child);
  return count;
}

// What names stand for where settings do not say it.
class Meanings {
 public:
  explicit Meanings(const Operation& operation) : operation_(operation) {
    for (const Choice& choice : operation.choices)
      if (!choice.absent.empty()) absent_.emplace(choice.name, choice.absent);
    for (const Argument& argument : operation.arguments)
      sizes_.emplace(argument.name, size_node(argument));
  }

  void add(const std::vector<Parameter>& parameters) {
    for (const Parameter& parameter : parameters)
      if (parameter.absent) absent_.emplace(parameter.name, *parameter.absent);
  }

  Expression applied_to(const Expression& expression) {
    return expression.with_root(applied_to(expression.root()));
  }

 private:
  // Before that many nodes are copied.
  void count_for_size(std::size_t nodes) {
    size_nodes_ += nodes;
    if (size_nodes_ > kMostSizeNodes)
      throw bad_input(
          "{}: operation '{}': expressions with size_of become larger than {} numbers, names and "
          "operators, because types depend on choices; use size_of in fewer places",
          operation_.manifest.string(), operation_.name, kMostSizeNodes);
  }

  ExpressionNode applied_to(const ExpressionNode& node) {
    if (node.op == Operator::otherwise) return node;
    if (node.op == Operator::size_of)
      if (const auto size = sizes_.find(node.children[0].text); size != sizes_.end()) {
        if (!size->second.children.empty()) count_for_size(nodes_in(size->second));
        return size->second;
      }
    if (const auto absent = absent_.find(node.text);
        node.op == Operator::name && absent != absent_.end())
      return node_of(Operator::otherwise, {node, node_of(absent->second)}, node.position);
    ExpressionNode changed{node.op, node.number, node.text, node.position, {}};
    changed.children.reserve(node.children.size());
    for (const ExpressionNode& child : node.children) changed.children.push_back(applied_to(child));
    return changed;
  }

  static ExpressionNode size_node(ElementType type) {
    return node_of(static_cast<std::int64_t>(size_of(type)));
  }

  ExpressionNode size_node(const Argument& argument) {
    if (!argument.computed_type)
      return node_of(argument.lanes * static_cast<std::int64_t>(size_of(argument.type)));
    return size_node(argument.computed_type->root());
  }

  // Of the type that the node gives. A choice becomes a chain of conditions over its labels.
  ExpressionNode size_node(const ExpressionNode& type) {
    if (type.op == Operator::otherwise) return size_node(type.children[0]);
    if (type.op == Operator::label) return size_node(type_named(type.text).value());
    if (type.op == Operator::conditional)
      return node_of(
          Operator::conditional,
          {applied_to(type.children[0]), size_node(type.children[1]), size_node(type.children[2])});
    const std::vector<std::string>& labels = find_named(operation_.choices, type.text)->labels;
    count_for_size(5 * labels.size());
    ExpressionNode chain = size_node(type_named(labels.back()).value());
    for (std::size_t i = labels.size() - 1; i-- > 0;) {
      const ExpressionNode is_it = node_of(Operator::equal, {applied_to(type), node_of(labels[i])});
      const ElementType one = type_named(labels[i]).value();
      chain = node_of(Operator::conditional, {is_it, size_node(one), std::move(chain)});
    }
    return chain;
  }

  const Operation& operation_;
  std::map<std::string, Value> absent_;
  std::map<std::string, ExpressionNode> sizes_;  // by argument
  std::size_t size_nodes_ = 0;
};

Meanings meanings_of(const Implementation& implementation, const Operation& operation) {
  Meanings meanings(operation);
  meanings.add(implementation.parameters);
  return meanings;
}

}  // namespace

void bind(Operation& operation) {
  Meanings meanings(operation);
  for_each_expression(operation, [&](Expression& one) { one = meanings.applied_to(one); });
}

void bind(Implementation& implementation, const Operation& operation) {
  Meanings meanings = meanings_of(implementation, operation);
  for_each_expression(implementation, [&](Expression& one) { one = meanings.applied_to(one); });
  implementation.prepared_general = std::make_shared<const GeneralConfigurations>(implementation);
}

Expression bound(const Expression& expression, const Implementation& implementation,
                 const Operation& operation) {
  return meanings_of(implementation, operation).applied_to(expression);
}

}  // namespace tilewright
