#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tilewright/settings.hpp"

namespace tilewright {

// What a node of an expression tree does. Truth values are the integers 0 and 1.
enum class Operator {
  number,  // literal, in `number`
  label,   // 'text' or "text", in `text`
  name,    // parameter, dimension, choice or device.*, in `text`
  negate,
  logical_not,
  add,
  subtract,
  multiply,
  floor_divide,
  modulo,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  logical_and,
  logical_or,
  conditional,  // condition ? a : b
  minimum,
  maximum,
  ceil_div,
  absolute,
  otherwise,    // the first child's value, or the second one's if its name has none
  size_of,      // bytes of one element of the argument that the child names
  square_root,  // of real numbers alone
};

struct ExpressionNode {
  Operator op = Operator::number;
  std::int64_t number = 0;
  std::string text;
  std::size_t position = 0;  // offset in the source text, for messages
  std::vector<ExpressionNode> children;
};

// The literal.
ExpressionNode node_of(const Value& value);
// The operator over these operands.
ExpressionNode node_of(Operator op, std::vector<ExpressionNode> children, std::size_t position = 0);

// A text does not parse, or an evaluation has no result: unknown name, division by zero, overflow,
// or a label where a number is needed. `position` is an offset in the source text.
class ExpressionError : public std::runtime_error {
 public:
  ExpressionError(const std::string& message, std::size_t position)
      : std::runtime_error(message), position_(position) {}
  std::size_t position() const { return position_; }

 private:
  std::size_t position_;
};

// Gives the value of a name, or nothing if there is no such name.
using Scope = std::function<std::optional<Value>(std::string_view name)>;

// Characters of a text that is parsed.
inline constexpr std::size_t kLongestExpression = 4096;

class Expression;
// Names that stand for expressions.
using Terms = std::map<std::string, Expression, std::less<>>;

// An immutable expression tree over named values. Copies share the tree; safe to use from many
// threads. Grammar, by rising precedence: `c ? a : b`, `||`, `&&`, comparisons (not chained),
// `+ -`, `* / %`, unary `- !`, then literals, names, calls min(a, b, …), max(a, b, …),
// ceil_div(a, b), abs(a), size_of(argument), and parentheses. Integers of 64 bits; `/` rounds
// towards minus infinity and `%` takes the divisor's sign; `&&`, `||` and `?:` skip what they do
// not need. Labels are compared with == and != only.
class Expression {
 public:
  // The constant 0.
  Expression();
  explicit Expression(std::int64_t constant);

  // Throws ExpressionError.
  static Expression parse(std::string_view text);
  // Terms are written out in its text(), in parentheses. Positions are those in `text`, which is
  // written(); of a term that of its name.
  static Expression parse(std::string_view text, const Terms& terms);
  // For real_value(): literals may be real numbers, `1.5` and `1e9`. Each is a quotient of
  // integers. There is sqrt(a), too.
  static Expression parse_real(std::string_view text);

  // Throws ExpressionError.
  std::int64_t evaluate(const Scope& scope) const;
  bool is_true(const Scope& scope) const { return evaluate(scope) != 0; }
  // The same for an expression that may give a label.
  Value value(const Scope& scope) const;

  const std::string& text() const { return tree_->text; }
  const std::string& written() const { return tree_->written; }  // with the names of terms
  const ExpressionNode& root() const { return tree_->root; }

  // All names of settings and devices in the expression.
  std::set<std::string> names() const;
  // Those that must have a value. The others are in `otherwise` only.
  std::set<std::string> needed_names() const;

  // The expression with another tree, whose texts stay as they were written.
  Expression with_root(ExpressionNode root) const { return {text(), written(), std::move(root)}; }

 private:
  struct Tree {
    std::string text;
    std::string written;
    ExpressionNode root;
  };
  Expression(const std::string& text, ExpressionNode root);
  Expression(std::string text, std::string written, ExpressionNode root);

  std::shared_ptr<const Tree> tree_;
};

// A scope over one or more settings; earlier ones win. The settings must outlive the scope.
Scope scope_over(std::vector<const Settings*> settings);

// Gives the real number that a name stands for, or nothing if it stands for none.
using RealScope = std::function<std::optional<double>(std::string_view name)>;

// The value of an expression in real numbers: `/` divides exactly, and `%` leaves the remainder of
// a division that rounds down. `numbers` come before the names of `scope`. Nothing if there is no
// finite value: a name is unknown, a label stands for a number, or a division by zero.
std::optional<double> real_value(const Expression& expression, const Scope& scope,
                                 const RealScope& numbers);

}  // namespace tilewright
