#include "definition/general.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "definition/problem.hpp"

namespace tilewright {
namespace {

// All names in what is looked at for each configuration.
std::set<std::string> names_in(const Implementation& implementation) {
  std::set<std::string> names;
  const auto add = [&names](const Expression& expression) { names.merge(expression.names()); };
  for (const Constraint& constraint : implementation.constraints) add(constraint.require);
  for (const Parameter& parameter : implementation.parameters)
    if (const auto value = settled_value(parameter)) add(*value);
  if (implementation.cost)
    for (const CostFormula& formula : kCostFormulas) add(*implementation.cost.*formula.member);
  return names;
}

ExpressionNode own_value(const Parameter& parameter) {
  ExpressionNode name{Operator::name, 0, parameter.name, 0, {}};
  if (!parameter.absent) return name;
  return {Operator::otherwise, 0, {}, 0, {name, node_of(*parameter.absent)}};
}

std::optional<Expression> settled_value(const Parameter& parameter,
                                        const std::optional<Expression>& follows) {
  const auto& active = parameter.active;
  if (!active) return follows;
  return active->with_root({Operator::conditional,
                            0,
                            {},
                            0,
                            {active->root(), follows ? follows->root() : own_value(parameter),
                             node_of(parameter.default_value)}});
}

using SettledValues = std::vector<std::optional<Expression>>;  // by parameter

// Nothing if a value has no result.
std::optional<Configuration> settled(Configuration configuration,
                                     const std::vector<Parameter>& parameters,
                                     const SettledValues& values, const Problem& problem,
                                     const Device& device) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (!values[i]) continue;
    try {
      set(configuration, parameters[i],
          values[i]->value(full_scope(problem, configuration, device)));
    } catch (const ExpressionError&) {
      return std::nullopt;
    }
  }
  return configuration;
}

}  // namespace

std::optional<Expression> settled_value(const Parameter& parameter) {
  return settled_value(parameter, parameter.follows);
}

std::vector<Configuration> worth_trying_first(const Implementation& implementation,
                                              const Problem& problem, const Device& device) {
  std::vector<Configuration> configurations = {default_configuration(implementation)};
  for (const Settings& seed : implementation.seeds) {
    SettledValues values;
    for (const Parameter& parameter : implementation.parameters)
      values.push_back(settled_value(
          parameter, seed.contains(parameter.name) ? std::nullopt : parameter.follows));
    if (auto one = settled(default_with(implementation, seed), implementation.parameters, values,
                           problem, device))
      configurations.push_back(*std::move(one));
  }
  return configurations;
}

GeneralConfigurations::GeneralConfigurations(const Implementation& implementation)
    : parameters_(implementation.parameters), all_(general_configurations(implementation)) {
  std::set<std::string> names = names_in(implementation);
  for (const Parameter& parameter : parameters_) {
    program_.declare(parameter.name, Program::Changes::often);
    places_.push_back(program_.place_of(parameter.name));
    names.erase(parameter.name);
    for (const std::string& label : labels_of(parameter)) program_.add_label(label);
  }
  names_.assign(names.begin(), names.end());
  for (const std::string& name : names_) program_.declare(name, Program::Changes::seldom);
  for (const Parameter& parameter : parameters_) {
    settled_.push_back(settled_value(parameter));
    if (settled_.back()) program_.define(parameter.name, *settled_.back());
  }
  for (const Constraint& constraint : implementation.constraints)
    constraints_.push_back(program_.add(constraint.require));
  if (implementation.cost)
    for (const CostFormula& formula : kCostFormulas)
      cost_.push_back(program_.add(*implementation.cost.*formula.member));
  constraint_steps_ = program_.steps_for(constraints_);
  cost_steps_ = program_.steps_for(cost_);
  for (const Configuration& configuration : all_)
    for (const Parameter& parameter : parameters_)
      numbers_.push_back(program_.number_of(*find_value(configuration, parameter)).value());
}

GeneralConfigurations::Judge::Judge(const GeneralConfigurations& general, const Problem& problem,
                                    const Device& device)
    : general_(general), problem_(problem), device_(device), evaluation_(general.program_) {
  std::map<Value, std::int64_t> others;  // labels that the program does not know
  for (const std::string& name : general_.names_) {
    const auto known = problem.values.find(name);
    const auto value =
        known == problem.values.end() ? device_value(device, name) : std::optional(known->second);
    if (!value) continue;
    const auto other = [&] {
      return others.emplace(*value, -1 - static_cast<std::int64_t>(others.size())).first->second;
    };
    const auto number = general_.program_.number_of(*value);
    evaluation_.set(general_.program_.place_of(name), number ? *number : other());
  }
  evaluation_.settle();
  const bool may_fit = std::ranges::all_of(general_.constraints_, [this](Program::Id id) {
    return general_.program_.changes_often(id) || holds(id);
  });
  if (may_fit) count_ = general_.all_.size();
}

bool GeneralConfigurations::Judge::holds(Program::Id constraint) const {
  return evaluation_[constraint].is_known && evaluation_[constraint].number != 0;
}

void GeneralConfigurations::Judge::work_out(const Program::Steps& steps, std::size_t index) {
  const std::size_t count = general_.places_.size();
  for (std::size_t i = 0; i < count; ++i)
    evaluation_.set(general_.places_[i], general_.numbers_[index * count + i]);
  evaluation_.work_out(steps);
}

std::optional<GeneralConfigurations::Cost> GeneralConfigurations::Judge::cost(std::size_t index) {
  if (general_.cost_.empty()) return std::nullopt;
  work_out(general_.cost_steps_, index);
  Cost cost{};
  for (std::size_t i = 0; i < cost.size(); ++i) {
    const Program::Result& result = evaluation_[general_.cost_[i]];
    if (!result.is_known) return std::nullopt;
    cost[i] = result.number;
  }
  return cost;
}

bool GeneralConfigurations::Judge::fits(std::size_t index) {
  work_out(general_.constraint_steps_, index);
  return std::ranges::all_of(general_.constraints_, [this](Program::Id id) { return holds(id); });
}

std::optional<Configuration> GeneralConfigurations::Judge::configuration(std::size_t index) const {
  return settled(general_.all_[index], general_.parameters_, general_.settled_, problem_, device_);
}

std::shared_ptr<const GeneralConfigurations> general_of(const Implementation& implementation) {
  if (implementation.prepared_general) return implementation.prepared_general;
  return std::make_shared<const GeneralConfigurations>(implementation);
}

}  // namespace tilewright
