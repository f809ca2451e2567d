#include "definition/expression/expression.hpp"

#include <cmath>
#include <limits>

#include "definition/expression/operators.hpp"

namespace tilewright {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// Numbers that are not finite mean that there is no value.
class Evaluation {
 public:
  Evaluation(const Scope& scope, const RealScope& numbers) : scope_(scope), numbers_(numbers) {}

  double number(const ExpressionNode& node) const {
    switch (node.op) {
      case Operator::number:
        return static_cast<double>(node.number);
      case Operator::name:
        return named(node);
      case Operator::otherwise: {
        const double found = named(node.children[0]);
        return std::isnan(found) ? number(node.children[1]) : found;
      }
      case Operator::conditional:
        return either(node);
      case Operator::logical_and:
      case Operator::logical_or:
        return logical(node);
      case Operator::equal:
      case Operator::not_equal:
        return truth(equal(node) == (node.op == Operator::equal));
      case Operator::negate:
        return -number(node.children[0]);
      case Operator::absolute:
        return std::fabs(number(node.children[0]));
      case Operator::square_root:
        return std::sqrt(number(node.children[0]));
      case Operator::logical_not:
        return truth(number(node.children[0]) == 0);
      case Operator::label:
      case Operator::size_of:
        return kNone;
      default:
        return combined(node);
    }
  }

 private:
  static double truth(bool is_true) { return is_true ? 1 : 0; }

  double named(const ExpressionNode& node) const {
    if (const auto real = numbers_(node.text)) return *real;
    const std::optional<Value> found = scope_(node.text);
    const auto* const whole = found ? std::get_if<std::int64_t>(&*found) : nullptr;
    return whole == nullptr ? kNone : static_cast<double>(*whole);
  }

  double either(const ExpressionNode& node) const {
    const double condition = number(node.children[0]);
    if (std::isnan(condition)) return kNone;
    return number(node.children[condition != 0 ? 1 : 2]);
  }

  double logical(const ExpressionNode& node) const {
    const double first = number(node.children[0]);
    if (std::isnan(first)) return kNone;
    const bool decides = (first != 0) == (node.op == Operator::logical_or);
    return decides ? truth(first != 0) : truth(number(node.children[1]) != 0);
  }

  std::optional<std::string> label(const ExpressionNode& node) const {
    if (node.op == Operator::label) return node.text;
    if (node.op == Operator::conditional)
      return label(node.children[number(node.children[0]) != 0 ? 1 : 2]);
    if (node.op == Operator::otherwise) {
      const auto found = label(node.children[0]);
      return found ? found : label(node.children[1]);
    }
    const std::optional<Value> found = node.op == Operator::name ? scope_(node.text) : std::nullopt;
    const auto* const text = found ? std::get_if<std::string>(&*found) : nullptr;
    return text == nullptr ? std::nullopt : std::optional(*text);
  }

  bool equal(const ExpressionNode& node) const {
    const auto left = label(node.children[0]);
    const auto right = label(node.children[1]);
    if (left || right) return left == right;
    return number(node.children[0]) == number(node.children[1]);
  }

  double combined(const ExpressionNode& node) const {
    double result = number(node.children[0]);
    for (std::size_t i = 1; i < node.children.size(); ++i)
      result = combined(node.op, result, number(node.children[i]));
    return result;
  }

  static double combined(Operator op, double a, double b) {
    const OperatorFacts::Real real = facts_of(op).real;
    return real == nullptr || std::isnan(a) || std::isnan(b) ? kNone : real(a, b);
  }

  const Scope& scope_;
  const RealScope& numbers_;
};

}  // namespace

std::optional<double> real_value(const Expression& expression, const Scope& scope,
                                 const RealScope& numbers) {
  const double value = Evaluation(scope, numbers).number(expression.root());
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

}  // namespace tilewright
