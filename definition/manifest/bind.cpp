#include "definition/manifest/bind.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "definition/general.hpp"

namespace tilewright {
namespace {

// What names stand for where settings do not say it.
class Meanings {
 public:
  explicit Meanings(const Operation& operation) : choices_(operation.choices) {
    for (const Choice& choice : operation.choices)
      if (!choice.absent.empty()) absent_.emplace(choice.name, choice.absent);
    for (const Argument& argument : operation.arguments)
      sizes_.emplace(argument.name, size_node(argument));
  }

  void add(const std::vector<Parameter>& parameters) {
    for (const Parameter& parameter : parameters)
      if (parameter.absent) absent_.emplace(parameter.name, *parameter.absent);
  }

  Expression applied_to(const Expression& expression) const {
    return expression.with_root(applied_to(expression.root()));
  }

 private:
  ExpressionNode applied_to(const ExpressionNode& node) const {
    if (node.op == Operator::otherwise) return node;
    if (node.op == Operator::size_of)
      if (const auto size = sizes_.find(node.children[0].text); size != sizes_.end())
        return size->second;
    if (const auto absent = absent_.find(node.text);
        node.op == Operator::name && absent != absent_.end())
      return {Operator::otherwise, 0, {}, node.position, {node, node_of(absent->second)}};
    ExpressionNode changed = node;
    for (ExpressionNode& child : changed.children) child = applied_to(child);
    return changed;
  }

  static ExpressionNode size_node(ElementType type) {
    return node_of(static_cast<std::int64_t>(size_of(type)));
  }

  ExpressionNode size_node(const Argument& argument) const {
    if (!argument.computed_type)
      return node_of(argument.lanes * static_cast<std::int64_t>(size_of(argument.type)));
    return size_node(argument.computed_type->root());
  }

  // Of the type that the node gives. A choice becomes a chain of conditions over its labels.
  ExpressionNode size_node(const ExpressionNode& type) const {
    if (type.op == Operator::otherwise) return size_node(type.children[0]);
    if (type.op == Operator::label) return size_node(type_named(type.text).value());
    if (type.op == Operator::conditional)
      return {
          Operator::conditional,
          0,
          {},
          0,
          {applied_to(type.children[0]), size_node(type.children[1]), size_node(type.children[2])}};
    const std::vector<std::string>& labels =
        std::ranges::find(choices_, type.text, &Choice::name)->labels;
    ExpressionNode chain = size_node(type_named(labels.back()).value());
    for (std::size_t i = labels.size() - 1; i-- > 0;) {
      const ExpressionNode is_it{Operator::equal, 0, {}, 0, {applied_to(type), node_of(labels[i])}};
      const ElementType one = type_named(labels[i]).value();
      chain = {Operator::conditional, 0, {}, 0, {is_it, size_node(one), std::move(chain)}};
    }
    return chain;
  }

  const std::vector<Choice>& choices_;
  std::map<std::string, Value> absent_;
  std::map<std::string, ExpressionNode> sizes_;  // by argument
};

template <class Visit>
void visit_launches(std::vector<Launch>& launches, const Visit& visit) {
  for (Launch& launch : launches) {
    for (Expression* one :
         {&launch.when, &launch.shared_bytes, &launch.dependent_launch, &launch.cooperative})
      visit(*one);
    for (auto& [name, value] : launch.macros) visit(value);
    for (auto* extent : {&launch.grid, &launch.block, &launch.cluster})
      for (Expression& one : *extent) visit(one);
    for (LaunchArgument& argument : launch.arguments) {
      TensorMap& map = argument.map;
      for (Expression* one :
           {&argument.value, &argument.when, &map.swizzle, &map.promote, &map.type})
        visit(*one);
      if (argument.real.divisor) visit(*argument.real.divisor);
      for (auto* numbers : {&map.dims, &map.strides, &map.box})
        for (Expression& one : *numbers) visit(one);
      for_each_expression(argument.texture, visit);
    }
  }
}

template <class Visit>
void visit_loops(std::vector<Loop>& loops, const Visit& visit) {
  for (Loop& loop : loops) {
    visit(loop.trips);
    for (LaunchArgument& place : loop.swap) visit(place.value);
  }
}

template <class Visit>
void visit_expressions(Operation& operation, const Visit& visit) {
  const auto visit_if = [&](std::optional<Expression>& one) {
    if (one) visit(*one);
  };
  for (Choice& choice : operation.choices) visit_if(choice.computed_default);
  for (Dimension& dimension : operation.dimensions) {
    visit_if(dimension.computed_default);
    visit_if(dimension.computed_minimum);
  }
  for (Constraint& constraint : operation.constraints) visit(constraint.require);
  for (Hook& hook : operation.hooks) {
    visit(hook.type);
    for (Coordinate& coordinate : hook.coordinates) visit(coordinate.count);
  }
  for (Expression& one : operation.classes) visit(one);
  for (Metric& metric : operation.metrics) visit(metric.value);
  for (Argument& argument : operation.arguments) {
    visit_if(argument.computed_type);
    visit_if(argument.value);
    visit_if(argument.real.divisor);
    for (Expression* one : {&argument.when, &argument.read_when, &argument.count}) visit(*one);
    for (const FillNumber& one : kFillNumbers) visit_if(argument.computed_fill.*one.computed);
  }
  visit_if(operation.comparison.sums);
  for (Expression* one : {&operation.flops, &operation.bytes, &operation.comparison.reduction,
                          &operation.comparison.inputs})
    visit(*one);
  visit_launches(operation.reference.launches, visit);
  visit_loops(operation.reference.loops, visit);
  for (auto& [name, fill] : operation.kernel_fills) visit_launches(fill.launches, visit);
}

template <class Visit>
void visit_expressions(Implementation& implementation, const Visit& visit) {
  for (Parameter& parameter : implementation.parameters) {
    visit(parameter.compiled_in);
    for (auto* one : {&parameter.active, &parameter.follows})
      if (*one) visit(**one);
  }
  for (Constraint& constraint : implementation.constraints) visit(constraint.require);
  for (CompiledIn& item : implementation.compiled_in) {
    visit(item.when);
    if (item.term) visit(*item.term);
  }
  for (SourceUnit& unit : implementation.units) {
    for (auto& [name, value] : unit.macros) visit(value);
    if (unit.max_registers) visit(*unit.max_registers);
  }
  for (ConstantSymbol& constant : implementation.constants) visit(constant.when);
  for (auto* one : {&implementation.own_work.flops, &implementation.own_work.bytes})
    if (*one) visit(**one);
  visit_launches(implementation.launches, visit);
  visit_loops(implementation.loops, visit);
  for (Expression* one : {&implementation.workspace.bytes, &implementation.estimate.shared_bytes,
                          &implementation.estimate.registers, &implementation.max_registers})
    visit(*one);
  if (!implementation.cost) return;
  for (const CostFormula& formula : kCostFormulas) visit(*implementation.cost.*formula.member);
}

Meanings meanings_of(const Implementation& implementation, const Operation& operation) {
  Meanings meanings(operation);
  meanings.add(implementation.parameters);
  return meanings;
}

}  // namespace

void bind(Operation& operation) {
  const Meanings meanings(operation);
  visit_expressions(operation, [&](Expression& one) { one = meanings.applied_to(one); });
}

void bind(Implementation& implementation, const Operation& operation) {
  const Meanings meanings = meanings_of(implementation, operation);
  visit_expressions(implementation, [&](Expression& one) { one = meanings.applied_to(one); });
  implementation.prepared_general = std::make_shared<const GeneralConfigurations>(implementation);
}

Expression bound(const Expression& expression, const Implementation& implementation,
                 const Operation& operation) {
  return meanings_of(implementation, operation).applied_to(expression);
}

}  // namespace tilewright
