#include "tools/results/trials.hpp"

#include <algorithm>
#include <ostream>
#include <sstream>
#include <tuple>
#include <utility>

#include "campaign/failures.hpp"
#include "campaign/sweep_report.hpp"
#include "tools/print/terminal.hpp"

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

constexpr const char* kIndent = "  ";

// The distance between the quartiles, in % of the median.
double spread(const Timing& timing) {
  return timing.median_us > 0 ? 100 * (timing.upper_us - timing.lower_us) / timing.median_us : 0;
}

std::string samples_text(const Timing& timing) {
  if (timing.rounds < 2) return std::to_string(timing.samples_us.size());
  return fmt::format("{} in {}", timing.samples_us.size(), timing.rounds);
}

std::vector<std::string> cells_of(const Trial& trial, std::size_t number) {
  std::vector<std::string> cells = {std::to_string(number), trial.implementation,
                                    std::string(to_text(trial.outcome)),
                                    std::string(to_text(trial.stage))};
  const Resources resources = trial.resources.value_or(Resources{});
  const auto add = [&](std::int64_t figure, const auto& text_of) {
    cells.push_back(figure < 0 ? "" : text_of(figure));
  };
  const auto plain = [](std::int64_t figure) { return std::to_string(figure); };
  add(resources.registers, plain);
  add(resources.shared_bytes, bytes_text);
  add(resources.blocks_per_sm, plain);
  if (!trial.timing) return cells;
  const Timing& timing = *trial.timing;
  cells.insert(cells.end(), {time_text(timing.median_us),
                             interval_text(timing.interval_low_us, timing.interval_high_us),
                             fmt::format("{:.1f} %", spread(timing)), samples_text(timing),
                             timing.sm_mhz > 0 ? fmt::format("{:.0f}", timing.sm_mhz) : ""});
  return cells;
}

// One line for each round, in the order of measurement.
void print_samples(std::ostream& out, const Timing& timing) {
  const auto rounds = static_cast<std::size_t>(std::max(timing.rounds, 1));
  const std::size_t each = std::max<std::size_t>(timing.samples_us.size() / rounds, 1);
  for (std::size_t i = 0; i < timing.samples_us.size(); ++i) {
    if (i % each == 0) out << (i == 0 ? "" : "\n") << kIndent << "µs:";
    out << fmt::format(" {:.4g}", timing.samples_us[i]);
  }
  out << '\n';
}

void print_reason(std::ostream& out, const Trial& trial, Detail detail) {
  const std::string& message = trial.message;
  const std::string reason = detail == Detail::full ? message : cause_of(trial);
  const bool has_both = !trial.rule.empty() && !reason.empty();
  const std::string text = trial.rule + (has_both ? ": " : "") + reason;
  if (text.find('\n') == std::string::npos) return print_wrapped(out, kIndent, text);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) out << kIndent << line << '\n';
}

// What is printed below a trial's line of figures.
void print_details(std::ostream& out, const NumberedTrial& numbered, const StoredNames& names,
                   Samples samples, Detail detail) {
  const Trial& trial = numbered.trial;
  print_wrapped(out, kIndent,
                (numbered.is_winner ? "winner: " : "") +
                    names.configuration(trial.implementation, trial.configuration));
  print_wrapped(out, kIndent, numbered.metrics);
  print_reason(out, trial, detail);
  if (samples == Samples::listed && trial.timing) print_samples(out, *trial.timing);
  if (!trial.warm_timing) return;
  const Timing& warm = *trial.warm_timing;
  out << fmt::format("{}warm {}, {}\n", kIndent, time_text(warm.median_us),
                     interval_text(warm.interval_low_us, warm.interval_high_us));
  if (samples == Samples::listed) print_samples(out, warm);
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

void print_trials(std::ostream& out, std::span<const NumberedTrial> trials,
                  const StoredNames& names, Samples samples, Detail detail) {
  Table table({"trial", "implementation", "outcome", "stage", "regs", "shared", "blocks/SM",
               "median", "95 % interval", "spread", "samples", "MHz"},
              {0, 4, 5, 6, 7, 9, 10, 11});
  table.may_lose({11, 10, 9, 6, 5, 3, 4, 8});
  for (const NumberedTrial& one : trials) table.add(cells_of(one.trial, one.number));
  const std::vector<std::string> lines = table.lines(columns_of(out));
  out << lines.front() << '\n';
  for (std::size_t i = 0; i < trials.size(); ++i) {
    out << lines[i + 1] << '\n';
    print_details(out, trials[i], names, samples, detail);
  }
}

}  // namespace tilewright::tools
