#include "definition/general.hpp"

#include <algorithm>
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
  names.merge(names_in_cost(implementation));
  return names;
}

ExpressionNode own_value(const Parameter& parameter) {
  ExpressionNode name{Operator::name, 0, parameter.name, 0, {}};
  if (!parameter.absent) return name;
  return node_of(Operator::otherwise, {name, node_of(*parameter.absent)});
}

std::optional<Expression> settled_value(const Parameter& parameter,
                                        const std::optional<Expression>& follows) {
  const auto& active = parameter.active;
  if (!active) return follows;
  return active->with_root(node_of(
      Operator::conditional, {active->root(), follows ? follows->root() : own_value(parameter),
                              node_of(parameter.default_value)}));
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
    : parameters_(implementation.parameters),
      all_(general_configurations(implementation)),
      names_(implementation, names_in(implementation)) {
  Program& program = names_.program();
  for (const Parameter& parameter : parameters_) {
    settled_.push_back(settled_value(parameter));
    if (settled_.back()) program.define(parameter.name, *settled_.back());
  }
  for (const Constraint& constraint : implementation.constraints)
    constraints_.push_back(program.add(constraint.require));
  cost_ = names_.add_cost(implementation);
  constraint_steps_ = program.steps_for(constraints_);
  cost_steps_ = program.steps_for(cost_);
  for (const Configuration& configuration : all_)
    for (const Parameter& parameter : parameters_)
      numbers_.push_back(program.number_of(*find_value(configuration, parameter)).value());
}

GeneralConfigurations::Judge::Judge(const GeneralConfigurations& general, const Problem& problem,
                                    const Device& device)
    : general_(general),
      problem_(problem),
      device_(device),
      evaluation_(general.names_.evaluation(problem, device)) {
  const bool may_fit = std::ranges::all_of(general_.constraints_, [this](Program::Id id) {
    return general_.names_.program().changes_often(id) || holds(id);
  });
  if (may_fit) count_ = general_.all_.size();
}

bool GeneralConfigurations::Judge::holds(Program::Id constraint) const {
  return evaluation_[constraint].is_known && evaluation_[constraint].number != 0;
}

void GeneralConfigurations::Judge::work_out(const Program::Steps& steps, std::size_t index) {
  const auto& places = general_.names_.places();
  for (std::size_t i = 0; i < places.size(); ++i)
    evaluation_.set(places[i], general_.numbers_[index * places.size() + i]);
  evaluation_.work_out(steps);
}

double GeneralConfigurations::Judge::cycles(std::size_t index) {
  if (!general_.cost_.empty()) work_out(general_.cost_steps_, index);
  return cycles_on(device_, evaluation_, general_.cost_);
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
