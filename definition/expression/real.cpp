#include "definition/expression/expression.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <variant>

#include "definition/expression/operators.hpp"

namespace tilewright {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

using Result = std::variant<double, std::string>;  // a number or a label

// Numbers that are not finite mean that there is no value.
class Evaluation {
 public:
  Evaluation(const Scope& scope, const RealScope& numbers) : scope_(scope), numbers_(numbers) {}

  double number(const ExpressionNode& node) const {
    switch (node.op) {
      case Operator::number:
        return static_cast<double>(node.number);
      case Operator::label:
      case Operator::name:
      case Operator::otherwise:
      case Operator::conditional: {
        const Result found = result(node);
        const double* const value = std::get_if<double>(&found);
        return value == nullptr ? kNone : *value;
      }
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
      case Operator::size_of:
        return kNone;
      default:
        return combined(node);
    }
  }

 private:
  static double truth(bool is_true) { return is_true ? 1 : 0; }

  Result result(const ExpressionNode& node) const {
    switch (node.op) {
      case Operator::label:
        return node.text;
      case Operator::name:
        return named(node);
      case Operator::otherwise: {
        Result found = named(node.children[0]);
        const double* const value = std::get_if<double>(&found);
        return value != nullptr && std::isnan(*value) ? result(node.children[1]) : found;
      }
      case Operator::conditional: {
        const double condition = number(node.children[0]);
        return std::isnan(condition) ? kNone : result(node.children[condition != 0 ? 1 : 2]);
      }
      default:
        return number(node);
    }
  }

  Result named(const ExpressionNode& node) const {
    if (const auto real = numbers_(node.text)) return *real;
    const std::optional<Value> found = scope_(node.text);
    if (!found) return kNone;
    if (const auto* const text = std::get_if<std::string>(&*found)) return *text;
    return static_cast<double>(std::get<std::int64_t>(*found));
  }

  double logical(const ExpressionNode& node) const {
    const double first = number(node.children[0]);
    if (std::isnan(first)) return kNone;
    const bool decides = (first != 0) == (node.op == Operator::logical_or);
    return decides ? truth(first != 0) : truth(number(node.children[1]) != 0);
  }

  bool equal(const ExpressionNode& node) const {
    return result(node.children[0]) == result(node.children[1]);
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
