#include "tools/print/metrics.hpp"

#include <fmt/format.h>

namespace tilewright::tools {
MeasuredCall call_of(const BestRow& row) {
  const double us = row.trial.timing ? row.trial.timing->median_us : 0;
  return {row.problem, row.implementation, row.configuration, row.device, us};
}

std::string metrics_text(const Operation& operation, const MeasuredCall& call) {
  std::string text;
  for (const Metric& metric : operation.metrics) {
    const auto value = value_of(metric, operation, call);
    if (!value) continue;
    text += fmt::format("{}{} {:.4g}{}{}", text.empty() ? "" : ", ", metric.name, *value,
                        metric.unit.empty() ? "" : " ", metric.unit);
  }
  return text;
}

}  // namespace tilewright::tools
