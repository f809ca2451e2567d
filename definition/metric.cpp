#include "definition/metric.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "definition/expression/expression.hpp"
#include "definition/problem.hpp"
#include "definition/text/suggest.hpp"
#include "tilewright/error.hpp"

namespace tilewright {
namespace {

std::optional<std::int64_t> evaluated(const Expression& expression, const MeasuredCall& call) {
  try {
    return expression.evaluate(full_scope(call.problem, call.configuration, call.device));
  } catch (const ExpressionError&) {  // a stored problem of older definitions
    return std::nullopt;
  }
}

OwnWork own_work_of(const Operation& operation, const MeasuredCall& call) {
  const auto found = operation.own_work.find(call.implementation);
  return found == operation.own_work.end() ? OwnWork{} : found->second;
}

std::optional<double> real(std::optional<std::int64_t> number) {
  return number ? std::optional(static_cast<double>(*number)) : std::nullopt;
}

}  // namespace

std::optional<std::int64_t> flops_of(const Operation& operation, const MeasuredCall& call) {
  return evaluated(own_work_of(operation, call).flops.value_or(operation.flops), call);
}

std::optional<std::int64_t> bytes_of(const Operation& operation, const MeasuredCall& call) {
  return evaluated(own_work_of(operation, call).bytes.value_or(operation.bytes), call);
}

std::optional<double> value_of(const Metric& metric, const Operation& operation,
                               const MeasuredCall& call) {
  if (call.microseconds <= 0) return std::nullopt;
  const RealScope measured = [&](std::string_view name) -> std::optional<double> {
    if (name == "time") return call.microseconds / 1e6;
    if (name == "flops") return real(flops_of(operation, call));
    if (name == "bytes") return real(bytes_of(operation, call));
    return std::nullopt;
  };
  return real_value(metric.value, full_scope(call.problem, call.configuration, call.device),
                    measured);
}

nlohmann::json metrics_json(const Operation& operation, const MeasuredCall& call) {
  nlohmann::json json = nlohmann::json::object();
  for (const Metric& metric : operation.metrics)
    if (const auto value = value_of(metric, operation, call))
      json[metric.name] = {{"value", *value}, {"unit", metric.unit}};
  return json;
}

const Metric& metric_named(const Operation& operation, const std::string& name) {
  if (const Metric* const metric = find_named(operation.metrics, name)) return *metric;
  throw InputError(operation.metrics.empty()
                       ? fmt::format("the operation '{}' has no metric '{}'; its manifest defines "
                                     "none with [[operation.metric]]",
                                     operation.name, name)
                       : fmt::format("the operation '{}' has no metric '{}'{}", operation.name,
                                     name,
                                     suggestion(name, names_of(operation.metrics, &Metric::name))));
}

}  // namespace tilewright
