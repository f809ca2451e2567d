#include "definition/expression/expression.hpp"

#include <utility>

#include "definition/expression/expression_internal.hpp"

namespace tilewright {
namespace {

void collect_names(const ExpressionNode& node, std::set<std::string>& names) {
  if (node.op == Operator::name) names.insert(node.text);
  for (const ExpressionNode& child : node.children) collect_names(child, names);
}

}  // namespace

struct Expression::Tree {
  std::string text;
  ExpressionNode root;
};

Expression::Expression() : Expression(0) {}

Expression::Expression(std::int64_t constant)
    : tree_(std::make_shared<const Tree>(
          Tree{std::to_string(constant), ExpressionNode{Operator::number, constant, {}, 0, {}}})) {}

Expression Expression::parse(std::string_view text) {
  Expression expression;
  expression.tree_ = std::make_shared<const Tree>(Tree{std::string(text), parse_expression(text)});
  return expression;
}

std::int64_t Expression::evaluate(const Scope& scope) const {
  return evaluate_tree(tree_->root, scope);
}

const std::string& Expression::text() const {
  return tree_->text;
}

const ExpressionNode& Expression::root() const {
  return tree_->root;
}

std::set<std::string> Expression::names() const {
  std::set<std::string> names;
  collect_names(tree_->root, names);
  return names;
}

Scope scope_over(std::vector<const Settings*> settings) {
  return [settings = std::move(settings)](std::string_view name) -> std::optional<Value> {
    const std::string key(name);
    for (const Settings* candidate : settings)
      if (const auto found = candidate->find(key); found != candidate->end()) return found->second;
    return std::nullopt;
  };
}

}  // namespace tilewright
