#pragma once

#include <optional>
#include <utility>

#include "definition/definition.hpp"
#include "tilewright/device.hpp"
#include "tilewright/trial.hpp"

namespace tilewright {

// What a search minimises in place of the time: a metric, or one divided by it if higher is better.
class Objective {
 public:
  // The metric is one of the operation's. Both must outlive it.
  Objective(const Metric& metric, const Operation& operation, Problem problem, Device device)
      : metric_(&metric),
        operation_(&operation),
        problem_(std::move(problem)),
        device_(std::move(device)) {}

  const Metric& metric() const { return *metric_; }

  // What is minimised, for a call of this trial's configuration that takes `us`. Nothing if the
  // metric has no value above 0.
  std::optional<double> cost(const Trial& trial, double us) const;

  // The trial with costs in place of its times, or without times if there are none. So whatever
  // compares times compares costs. Its clock is not known, because a cost has no cycles.
  Trial in_place_of_time(Trial trial) const;

 private:
  const Metric* metric_;
  const Operation* operation_;
  Problem problem_;
  Device device_;
};

}  // namespace tilewright
