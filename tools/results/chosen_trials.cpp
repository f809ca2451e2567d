#include "tools/results/chosen_trials.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "campaign/failures.hpp"
#include "campaign/sweep_report.hpp"
#include "tools/print/text.hpp"

namespace tilewright::tools {
namespace {

// --outcome: one, or every failure. Empty: all.
bool is_wanted(const Trial& trial, const std::string& outcome) {
  if (outcome.empty()) return true;
  return outcome == "failed" ? is_failure(trial.outcome) : to_text(trial.outcome) == outcome;
}

std::string order_of(const std::string& sort, const KnownSweep& sweep) {
  std::vector<std::string> orders = {"time", "number", "registers", "shared", "occupancy"};
  if (sweep.operation != nullptr)
    for (const Metric& metric : sweep.operation->metrics) orders.push_back(metric.name);
  return sort.empty() ? orders.front() : orders[option::choice("sort", sort, orders)];
}

// The best value first, then those without one.
void sort_by_metric(std::vector<NumberedTrial>& all, const std::string& name,
                    const KnownSweep& sweep) {
  const Metric& metric = metric_named(*sweep.operation, name);
  const double sign = metric.better == Metric::Better::lower ? 1 : -1;
  std::ranges::stable_sort(all, {}, [&](const NumberedTrial& one) {
    const auto value = value_of(metric, *sweep.operation, call_of(sweep.record, one.trial));
    return std::pair(!value, sign * value.value_or(0));
  });
}

}  // namespace

std::optional<Objective> KnownSweep::objective() const {
  return operation == nullptr ? std::nullopt : objective_of(record, *operation);
}

std::vector<std::string> outcome_names() {
  std::vector<std::string> known = {"failed"};
  known.insert(known.end(), kOutcomeNames.begin(), kOutcomeNames.end());
  return known;
}

std::vector<NumberedTrial> chosen_trials(const TrialWish& wish, std::vector<Trial> trials,
                                         const KnownSweep& sweep) {
  const std::string order = order_of(wish.sort, sweep);
  std::vector<NumberedTrial> all;
  std::size_t number = 0;
  for (Trial& trial : trials)
    if (++number; is_wanted(trial, wish.outcome)) {
      std::string metrics =
          sweep.operation ? metrics_text(*sweep.operation, call_of(sweep.record, trial)) : "";
      all.push_back({.number = number, .trial = std::move(trial), .metrics = std::move(metrics)});
    }
  const auto least_first = [&](const auto& figure) {
    std::ranges::stable_sort(all, {}, [&](const NumberedTrial& one) {
      const double value = figure(one.trial.resources.value_or(Resources{}));
      return std::pair(value < 0, value);
    });
  };
  if (order == "time") {
    std::ranges::stable_sort(all, {}, [](const NumberedTrial& numbered) {
      const Trial& trial = numbered.trial;
      return trial.timing ? std::tuple(0, trial.stage != Stage::final, trial.timing->median_us)
                          : std::tuple(1, false, static_cast<double>(trial.outcome));
    });
  } else if (order == "registers") {
    least_first([](const Resources& one) { return static_cast<double>(one.registers); });
  } else if (order == "shared") {
    least_first([](const Resources& one) { return static_cast<double>(one.shared_bytes); });
  } else if (order == "occupancy") {
    least_first([](const Resources& one) { return one.occupancy; });
  } else if (order != "number") {
    sort_by_metric(all, order, sweep);
  }
  return all;
}

}  // namespace tilewright::tools
