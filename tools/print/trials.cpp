#include "tools/print/trials.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <sstream>

#include "campaign/texts.hpp"
#include "tools/print/table.hpp"
#include "tools/print/terminal.hpp"
#include "tools/print/text.hpp"

namespace tilewright::tools {
namespace {

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

std::string interval_text(double low_us, double high_us) {
  return fmt::format("{} to {}", time_text(low_us), time_text(high_us));
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
