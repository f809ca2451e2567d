#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "definition/expression/apply.hpp"
#include "definition/expression/expression_internal.hpp"

namespace tilewright {
namespace {

constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();

[[noreturn]] void overflow(const std::string& what, const ExpressionNode& node) {
  throw ExpressionError(what + " does not fit into 64 bits", node.position);
}

std::string symbol(Operator op) {
  if (op == Operator::add) return "+";
  if (op == Operator::subtract) return "-";
  return op == Operator::multiply ? "*" : "/";
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

class Evaluation {
 public:
  explicit Evaluation(const Scope& scope) : scope_(scope) {}

  std::int64_t number(const ExpressionNode& node) const;

 private:
  Value value(const ExpressionNode& node) const;
  Value lookup(const ExpressionNode& node) const;
  bool equal(const ExpressionNode& node) const;
  std::int64_t extreme(const ExpressionNode& node) const;
  std::int64_t negated(std::int64_t operand, const ExpressionNode& node) const;
  std::int64_t child(const ExpressionNode& node, std::size_t index) const {
    return number(node.children[index]);
  }

  const Scope& scope_;
};

std::int64_t Evaluation::number(const ExpressionNode& node) const {
  switch (node.op) {
    case Operator::number:
      return node.number;
    case Operator::label:
    case Operator::name: {
      const Value found = value(node);
      if (const auto* whole = std::get_if<std::int64_t>(&found)) return *whole;
      const std::string subject =
          node.op == Operator::name ? '\'' + node.text + "' is the label '" : "the label '";
      throw ExpressionError(subject + to_text(found) + "' where a number is needed", node.position);
    }
    case Operator::negate:
      return negated(child(node, 0), node);
    case Operator::absolute: {
      const std::int64_t operand = child(node, 0);
      return operand < 0 ? negated(operand, node) : operand;
    }
    case Operator::logical_not:
      return child(node, 0) == 0 ? 1 : 0;
    case Operator::logical_and:
      return child(node, 0) != 0 && child(node, 1) != 0 ? 1 : 0;
    case Operator::logical_or:
      return child(node, 0) != 0 || child(node, 1) != 0 ? 1 : 0;
    case Operator::conditional:
      return child(node, child(node, 0) != 0 ? 1 : 2);
    case Operator::equal:
    case Operator::not_equal:
      return equal(node) == (node.op == Operator::equal) ? 1 : 0;
    case Operator::minimum:
    case Operator::maximum:
      return extreme(node);
    case Operator::less:
    case Operator::less_equal:
    case Operator::greater:
    case Operator::greater_equal:
    case Operator::add:
    case Operator::subtract:
    case Operator::multiply:
    case Operator::floor_divide:
    case Operator::modulo:
    case Operator::ceil_div: {
      const std::int64_t left = child(node, 0);
      return combined(left, child(node, 1), node);
    }
  }
  throw ExpressionError("unknown operator", node.position);
}

Value Evaluation::value(const ExpressionNode& node) const {
  if (node.op == Operator::label) return node.text;
  if (node.op == Operator::name) return lookup(node);
  if (node.op == Operator::conditional) return value(node.children[child(node, 0) != 0 ? 1 : 2]);
  return number(node);
}

Value Evaluation::lookup(const ExpressionNode& node) const {
  std::optional<Value> found = scope_ ? scope_(node.text) : std::nullopt;
  if (!found) throw ExpressionError("unknown name '" + node.text + "'", node.position);
  return *std::move(found);
}

bool Evaluation::equal(const ExpressionNode& node) const {
  const Value left = value(node.children[0]);
  const Value right = value(node.children[1]);
  if (left.index() == right.index()) return left == right;
  const bool left_is_label = std::holds_alternative<std::string>(left);
  throw ExpressionError(
      fmt::format("the label '{}' is compared with the number {}",
                  to_text(left_is_label ? left : right), to_text(left_is_label ? right : left)),
      node.position);
}

std::int64_t Evaluation::extreme(const ExpressionNode& node) const {
  std::int64_t best = child(node, 0);
  for (std::size_t i = 1; i < node.children.size(); ++i) {
    const std::int64_t next = child(node, i);
    best = node.op == Operator::minimum ? std::min(best, next) : std::max(best, next);
  }
  return best;
}

std::int64_t Evaluation::negated(std::int64_t operand, const ExpressionNode& node) const {
  if (operand == kLeast) overflow(fmt::format("-({})", operand), node);
  return -operand;
}

}  // namespace

std::int64_t evaluate_tree(const ExpressionNode& root, const Scope& scope) {
  return Evaluation(scope).number(root);
}

}  // namespace tilewright
