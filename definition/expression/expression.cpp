#include "definition/expression/expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <utility>

#include "definition/expression/operators.hpp"
#include "definition/text/suggest.hpp"

namespace tilewright {
namespace {

// Without those of `skipped` operators.
void collect_names(const ExpressionNode& node, std::initializer_list<Operator> skipped,
                   std::set<std::string>& names) {
  if (node.op == Operator::name) names.insert(node.text);
  if (is_among(node.op, skipped)) return;
  for (const ExpressionNode& child : node.children) collect_names(child, skipped, names);
}

[[noreturn]] void overflow(const std::string& what, const ExpressionNode& node) {
  throw ExpressionError(what + " does not fit into 64 bits", node.position);
}

// As a message writes it.
std::string_view symbol(Operator op) {
  return op == Operator::modulo || op == Operator::ceil_div ? "/" : facts_of(op).name;
}

std::int64_t negated(std::int64_t operand, const ExpressionNode& node) {
  if (operand == std::numeric_limits<std::int64_t>::min())
    overflow(fmt::format("-({})", operand), node);
  return -operand;
}

// Arithmetic and ordered comparisons.
std::int64_t combined(std::int64_t a, std::int64_t b, const ExpressionNode& node) {
  std::int64_t result = 0;
  if (apply(node.op, a, b, result)) return result;
  const bool divides = symbol(node.op) == "/";
  if (divides && b == 0)
    throw ExpressionError(fmt::format("division of {} by zero", a), node.position);
  overflow(fmt::format("{} {} {}", a, symbol(node.op), b), node);
}

std::int64_t number(const ExpressionNode& node, const Scope& scope);

std::int64_t child(const ExpressionNode& node, std::size_t index, const Scope& scope) {
  return number(node.children[index], scope);
}

Value value(const ExpressionNode& node, const Scope& scope) {
  if (node.op == Operator::label) return node.text;
  if (node.op == Operator::conditional)
    return value(node.children[child(node, 0, scope) != 0 ? 1 : 2], scope);
  if (node.op == Operator::otherwise) {
    std::optional<Value> found = scope ? scope(node.children[0].text) : std::nullopt;
    return found ? *std::move(found) : value(node.children[1], scope);
  }
  if (node.op != Operator::name) return number(node, scope);
  std::optional<Value> found = scope ? scope(node.text) : std::nullopt;
  if (!found) throw ExpressionError("unknown name '" + node.text + "'", node.position);
  return *std::move(found);
}

bool equal(const ExpressionNode& node, const Scope& scope) {
  const Value left = value(node.children[0], scope);
  const Value right = value(node.children[1], scope);
  if (left.index() == right.index()) return left == right;
  const bool left_is_label = std::holds_alternative<std::string>(left);
  throw ExpressionError(
      fmt::format("the label '{}' is compared with the number {}",
                  to_text(left_is_label ? left : right), to_text(left_is_label ? right : left)),
      node.position);
}

std::int64_t extreme(const ExpressionNode& node, const Scope& scope) {
  std::int64_t best = child(node, 0, scope);
  for (std::size_t i = 1; i < node.children.size(); ++i) {
    const std::int64_t next = child(node, i, scope);
    best = node.op == Operator::minimum ? std::min(best, next) : std::max(best, next);
  }
  return best;
}

std::int64_t number(const ExpressionNode& node, const Scope& scope) {
  switch (node.op) {
    case Operator::number:
      return node.number;
    case Operator::label:
    case Operator::otherwise:
    case Operator::name: {
      const Value found = value(node, scope);
      if (const auto* whole = std::get_if<std::int64_t>(&found)) return *whole;
      const ExpressionNode& named = node.op == Operator::otherwise ? node.children[0] : node;
      const std::string subject =
          named.op == Operator::name ? '\'' + named.text + "' is the label '" : "the label '";
      throw ExpressionError(subject + to_text(found) + "' where a number is needed", node.position);
    }
    case Operator::negate:
      return negated(child(node, 0, scope), node);
    case Operator::absolute: {
      const std::int64_t operand = child(node, 0, scope);
      return operand < 0 ? negated(operand, node) : operand;
    }
    case Operator::logical_not:
      return child(node, 0, scope) == 0 ? 1 : 0;
    case Operator::logical_and:
      return child(node, 0, scope) != 0 && child(node, 1, scope) != 0 ? 1 : 0;
    case Operator::logical_or:
      return child(node, 0, scope) != 0 || child(node, 1, scope) != 0 ? 1 : 0;
    case Operator::conditional:
      return child(node, child(node, 0, scope) != 0 ? 1 : 2, scope);
    case Operator::equal:
    case Operator::not_equal:
      return equal(node, scope) == (node.op == Operator::equal) ? 1 : 0;
    case Operator::minimum:
    case Operator::maximum:
      return extreme(node, scope);
    case Operator::square_root:
      throw ExpressionError("sqrt gives no whole number", node.position);
    case Operator::size_of:
      throw ExpressionError(
          fmt::format("the type of '{}' is not known here", node.children[0].text), node.position);
    default: {
      const std::int64_t left = child(node, 0, scope);
      return combined(left, child(node, 1, scope), node);
    }
  }
}

}  // namespace

Expression::Expression() : Expression(0) {}

Expression::Expression(std::int64_t constant)
    : Expression(std::to_string(constant), {Operator::number, constant, {}, 0, {}}) {}

Expression::Expression(const std::string& text, ExpressionNode root)
    : Expression(text, text, std::move(root)) {}

Expression::Expression(std::string text, std::string written, ExpressionNode root)
    : tree_(std::make_shared<const Tree>(
          Tree{std::move(text), std::move(written), std::move(root)})) {}

std::int64_t Expression::evaluate(const Scope& scope) const {
  return number(root(), scope);
}

Value Expression::value(const Scope& scope) const {
  return tilewright::value(root(), scope);
}

std::set<std::string> Expression::names() const {
  std::set<std::string> names;
  collect_names(root(), {Operator::size_of}, names);
  return names;
}

std::set<std::string> Expression::needed_names() const {
  std::set<std::string> names;
  collect_names(root(), {Operator::size_of, Operator::otherwise}, names);
  return names;
}

ExpressionNode node_of(const Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value))
    return {Operator::number, *number, {}, 0, {}};
  return {Operator::label, 0, std::get<std::string>(value), 0, {}};
}

ExpressionNode node_of(Operator op, std::vector<ExpressionNode> children, std::size_t position) {
  return {op, 0, {}, position, std::move(children)};
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
