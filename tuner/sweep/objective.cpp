#include "tuner/sweep/objective.hpp"

#include "definition/metric.hpp"
#include "tilewright/statistics.hpp"

namespace tilewright {

std::optional<double> Objective::cost(const Trial& trial, double us) const {
  const auto value = value_of(*metric_, *operation_,
                              {problem_, trial.implementation, trial.configuration, device_, us});
  if (!value || *value <= 0) return std::nullopt;
  return metric_->better == Metric::Better::lower ? *value : 1 / *value;
}

Trial Objective::in_place_of_time(Trial trial) const {
  const Trial measured = trial;
  for (auto* timing : {&trial.timing, &trial.warm_timing}) {
    if (!*timing) continue;
    const auto median = cost(measured, (*timing)->median_us);
    std::vector<double> costs;
    for (const double us : (*timing)->samples_us)
      if (const auto one = cost(measured, us)) costs.push_back(*one);
    if (!median || costs.size() != (*timing)->samples_us.size()) {
      trial.timing.reset();
      trial.warm_timing.reset();
      return trial;
    }
    if (costs.empty()) costs.push_back(*median);
    const std::optional<CachePolicy> cache = (*timing)->cache;
    *timing = summarise(std::move(costs), (*timing)->calls_per_sample, 0, (*timing)->rounds);
    (*timing)->cache = cache;
    (*timing)->median_us = *median;  // that of the trial may be corrected for drift
  }
  return trial;
}

}  // namespace tilewright
