#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "definition/cycles.hpp"
#include "definition/definition.hpp"
#include "definition/expression/program.hpp"
#include "tilewright/device.hpp"

namespace tilewright {

// A program whose names are those of an implementation's parameters, which often change, and
// others, of problems and devices.
class ParameterProgram {
 public:
  // `names` may include those of parameters.
  ParameterProgram(const Implementation& implementation, std::set<std::string> names);

  Program& program() { return program_; }
  const Program& program() const { return program_; }
  // The places of the parameters among the values.
  const std::vector<Program::Id>& places() const { return places_; }
  // Adds the implementation's cost formulas; none if it has none.
  std::vector<Program::Id> add_cost(const Implementation& implementation);

  // What does not depend on parameters, worked out. This must outlive it and not change.
  Program::Evaluation evaluation(const Problem& problem, const Device& device) const;

 private:
  Program program_;
  std::vector<std::string> names_;  // but for those of parameters
  std::vector<Program::Id> places_;
};

// All names in the implementation's cost formulas.
std::set<std::string> names_in_cost(const Implementation& implementation);

// The values of kCostFormulas, in their order.
using CostValues = std::array<std::int64_t, kCostFormulas.size()>;

// The cycles that a call is expected to take; no_cost on the host.
double cycles_on(const Device& device, const CostValues& values);
// The same; no_cost, too, without formulas, or if one has no result.
double cycles_on(const Device& device, const Program::Evaluation& evaluation,
                 const std::vector<Program::Id>& cost);

// The same for many configurations of one implementation, for one problem on a device.
class ExpectedCycles {
 public:
  ExpectedCycles(const Implementation& implementation, const Problem& problem,
                 const Device& device);
  ExpectedCycles(const ExpectedCycles&) = delete;
  ExpectedCycles& operator=(const ExpectedCycles&) = delete;

  bool is_known() const { return !cost_.empty() && device_.kind != DeviceKind::host; }
  // What stands for the value of a parameter in of().
  std::int64_t number_of(const Value& value) const { return *program_.program().number_of(value); }
  // `numbers` is by parameter.
  double of(std::span<const std::int64_t> numbers);

 private:
  Device device_;
  ParameterProgram program_;
  std::vector<Program::Id> cost_;
  Program::Steps steps_;
  Program::Evaluation evaluation_;
};

}  // namespace tilewright
