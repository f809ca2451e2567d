#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "definition/definition.hpp"
#include "tilewright/device.hpp"

namespace tilewright {

// What was measured for one configuration.
struct MeasuredCall {
  const Problem& problem;
  const std::string& implementation;  // its full name
  const Configuration& configuration;
  const Device& device;
  double microseconds = 0;
};

// The operation's work, or what the implementation says of its own calls. Nothing if the formula
// has no result.
std::optional<std::int64_t> flops_of(const Operation& operation, const MeasuredCall& call);
std::optional<std::int64_t> bytes_of(const Operation& operation, const MeasuredCall& call);

// Nothing if the call has no time, or if the metric has no finite value for it, for example because
// the implementation lacks a parameter that it uses.
std::optional<double> value_of(const Metric& metric, const Operation& operation,
                               const MeasuredCall& call);

// {"intensity": {"value": 12.3, "unit": "FLOP/B"}}: those of the operation's metrics that have a
// value for the call.
nlohmann::json metrics_json(const Operation& operation, const MeasuredCall& call);

// The same for a call of any operation; an empty object if the operation is not known.
using MetricsOf = std::function<nlohmann::json(const MeasuredCall&)>;

// Throws InputError that suggests a similar name.
const Metric& metric_named(const Operation& operation, const std::string& name);

}  // namespace tilewright
