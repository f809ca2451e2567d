#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "definition/expression/expression.hpp"
#include "definition/expression/range.hpp"
#include "tuner/space/bindings.hpp"

namespace tilewright {

using FormulaId = std::uint32_t;

// A node of the graph. Its operands have smaller ids than its own. An operation with more than
// three operands becomes several nodes.
struct Formula {
  enum class Role {
    constant,   // `number`
    parameter,  // the value of parameter `number`
    operation,  // `op` of the operands
    unclear,    // an unknown name, or a label in place of a number: ask the expression tree
  } role = Role::constant;
  Operator op = Operator::number;
  bool is_label = false;
  std::uint32_t operand_count = 0;
  std::array<FormulaId, 3> places = {};  // the first `operand_count` are used
  std::int64_t number = 0;

  std::span<const FormulaId> operands() const { return {places.data(), operand_count}; }
  auto operator<=>(const Formula&) const = default;
};

// A formula's value, if it was worked out before.
struct WorkedOut {
  bool is_known = false;
  std::int64_t number = 0;
};

// Many expressions over the parameters of one implementation, as one graph that shares equal parts.
// Names of the problem and the device are constants. Each label has its own number. The graph is
// made for millions of evaluations. Only the expression says why there is no result.
class Formulas {
 public:
  Formulas(const Implementation& implementation, const Bindings& bindings);

  FormulaId add(const ExpressionNode& expression);
  // `parameter == value || condition`.
  FormulaId add_unless(std::size_t parameter, const Value& value, const ExpressionNode& condition);

  std::size_t size() const { return nodes_.size(); }
  const Formula& operator[](FormulaId id) const { return nodes_[id]; }

  // By parameter: the numbers of its values, in their order.
  const std::vector<std::vector<std::int64_t>>& domains() const { return domains_; }

  // False if there is no result or only the expression tree has it. `values` is by parameter; those
  // that the formula does not mention are ignored. `known` is empty or by formula.
  bool evaluate(FormulaId id, std::span<const std::int64_t> values, std::int64_t& result,
                std::span<const WorkedOut> known = {}) const;

 private:
  std::int64_t number_of(const Value& value);
  FormulaId constant(const Value& value);
  FormulaId operation(Operator op, std::span<const FormulaId> operands);
  FormulaId folded(FormulaId id);
  FormulaId intern(const Formula& formula);

  const Bindings& bindings_;
  std::vector<Formula> nodes_;
  std::map<Formula, FormulaId> ids_;
  std::map<std::string, std::int64_t> labels_;
  std::vector<std::vector<std::int64_t>> domains_;
  std::vector<FormulaId> parameters_;
};

// The parameters that a formula mentions, ascending.
std::vector<std::size_t> parameters_below(const Formulas& formulas, FormulaId id);

// By formula: the largest `bound_at` (by parameter) of the parameters in it; 0 if there are none.
std::vector<std::size_t> depths_of(const Formulas& formulas,
                                   const std::vector<std::size_t>& bound_at);

enum class Outlook { always_true, always_false, open };

// Whether the formula is true for all values within `ranges` (by parameter), or false for all.
// `open` if neither is certain, or if some values may have no result. It uses interval arithmetic
// with divisibility, which is never wrong, but not always exact. `known` is as for
// Formulas::evaluate.
Outlook outlook(const Formulas& formulas, FormulaId id, std::span<const Range> ranges,
                std::span<const WorkedOut> known = {});

}  // namespace tilewright
