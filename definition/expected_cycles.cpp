#include "definition/expected_cycles.hpp"

#include <map>
#include <optional>

#include "definition/problem.hpp"

namespace tilewright {

ParameterProgram::ParameterProgram(const Implementation& implementation,
                                   std::set<std::string> names) {
  for (const Parameter& parameter : implementation.parameters) {
    program_.declare(parameter.name, Program::Changes::often);
    places_.push_back(program_.place_of(parameter.name));
    names.erase(parameter.name);
    for (const std::string& label : labels_of(parameter)) program_.add_label(label);
  }
  names_.assign(names.begin(), names.end());
  for (const std::string& name : names_) program_.declare(name, Program::Changes::seldom);
}

std::vector<Program::Id> ParameterProgram::add_cost(const Implementation& implementation) {
  std::vector<Program::Id> cost;
  if (implementation.cost)
    for (const CostFormula& formula : kCostFormulas)
      cost.push_back(program_.add(*implementation.cost.*formula.member));
  return cost;
}

Program::Evaluation ParameterProgram::evaluation(const Problem& problem,
                                                 const Device& device) const {
  Program::Evaluation evaluation(program_);
  std::map<Value, std::int64_t> others;  // labels that the program does not know
  for (const std::string& name : names_) {
    const auto known = problem.values.find(name);
    const auto value =
        known == problem.values.end() ? device_value(device, name) : std::optional(known->second);
    if (!value) continue;
    const auto other = [&] {
      return others.emplace(*value, -1 - static_cast<std::int64_t>(others.size())).first->second;
    };
    const auto number = program_.number_of(*value);
    evaluation.set(program_.place_of(name), number ? *number : other());
  }
  evaluation.settle();
  return evaluation;
}

std::set<std::string> names_in_cost(const Implementation& implementation) {
  std::set<std::string> names;
  if (implementation.cost)
    for (const CostFormula& formula : kCostFormulas)
      names.merge((*implementation.cost.*formula.member).names());
  return names;
}

double cycles_on(const Device& device, const CostValues& values) {
  if (device.kind == DeviceKind::host) return no_cost;
  const auto& [blocks, multiprocessors, resident, work, latency, least, overhead] = values;
  return cycles_of({blocks, multiprocessors, resident, work, latency, least, overhead});
}

double cycles_on(const Device& device, const Program::Evaluation& evaluation,
                 const std::vector<Program::Id>& cost) {
  if (cost.empty()) return no_cost;
  CostValues values{};
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Program::Result& result = evaluation[cost[i]];
    if (!result.is_known) return no_cost;
    values[i] = result.number;
  }
  return cycles_on(device, values);
}

ExpectedCycles::ExpectedCycles(const Implementation& implementation, const Problem& problem,
                               const Device& device)
    : device_(device),
      program_(implementation, names_in_cost(implementation)),
      cost_(program_.add_cost(implementation)),
      steps_(program_.program().steps_for(cost_)),
      evaluation_(program_.evaluation(problem, device)) {}

double ExpectedCycles::of(std::span<const std::int64_t> numbers) {
  for (std::size_t i = 0; i < numbers.size(); ++i)
    evaluation_.set(program_.places()[i], numbers[i]);
  evaluation_.work_out(steps_);
  return cycles_on(device_, evaluation_, cost_);
}

}  // namespace tilewright
