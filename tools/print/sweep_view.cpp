#include "tools/print/sweep_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <tuple>

#include "db/derived/choose.hpp"
#include "definition/json/json.hpp"
#include "tilewright/error.hpp"
#include "tilewright/statistics.hpp"
#include "tools/print/report.hpp"

namespace tilewright::tools {
namespace {

constexpr const char* kIndent = "  ";

// A trial that the winner is compared with. Null if there is none, or if it is the winner. The
// ratio has an interval if both have rounds.
nlohmann::json rival_of(const Trial& winner, const std::vector<Trial>& trials,
                        std::optional<std::size_t> index) {
  if (!index || trials[*index].configuration == winner.configuration) return nullptr;
  const Timing& of_rival = trials[*index].timing.value();
  const Timing& of_winner = winner.timing.value();
  const Ratio ratio = ratio_of(of_rival, of_winner);
  nlohmann::json json = {{"configuration", to_json(trials[*index].configuration.values)},
                         {"median_us", of_rival.median_us},
                         {"ratio", ratio.value}};
  if (of_rival.rounds > 1 && of_winner.rounds > 1)
    json.update({{"ratio_low", ratio.interval.low}, {"ratio_high", ratio.interval.high}});
  return json;
}

std::string interval_text(double low_us, double high_us) {
  return fmt::format("{} to {}", time_text(low_us), time_text(high_us));
}

// "+0.8 % (+0.6 to +1.0)": how much longer it takes.
std::string longer(const nlohmann::json& rival) {
  const auto percent = [&](const char* key) { return 100 * (rival[key].get<double>() - 1); };
  std::string text = fmt::format("{:+.1f} %", percent("ratio"));
  if (rival.contains("ratio_low"))
    text += fmt::format(" ({:+.1f} to {:+.1f})", percent("ratio_low"), percent("ratio_high"));
  return text;
}

std::string margin_text(const SweepRecord& sweep, const nlohmann::json& margin) {
  const nlohmann::json& runner_up = margin["runner_up"];
  std::string text = "runner-up " + (runner_up.is_null() ? "none" : longer(runner_up));
  if (margin["tie"] == true) text += ", a tie";
  if (!margin["default"].is_null()) return text + "; default " + longer(margin["default"]);
  const bool is_default = std::ranges::any_of(sweep.key.implementations, [&](const auto& key) {
    return key.name == margin["implementation"] &&
           nlohmann::json(to_json(key.default_configuration.values)) == margin["configuration"];
  });
  return text + (is_default ? "; it is the default" : "; default not measured");
}

// The distance between the quartiles, in % of the median.
double spread(const Timing& timing) {
  return timing.median_us > 0 ? 100 * (timing.upper_us - timing.lower_us) / timing.median_us : 0;
}

std::string samples_text(const Timing& timing) {
  if (timing.rounds < 2) return std::to_string(timing.samples_us.size());
  return fmt::format("{} in {}", timing.samples_us.size(), timing.rounds);
}

std::string outcome_text(const Trial& trial) {
  std::string text(to_text(trial.outcome));
  if (!trial.rule.empty()) text += " (" + trial.rule + ")";
  return text;
}

std::vector<std::string> cells_of(const Trial& trial, std::size_t number) {
  std::vector<std::string> cells = {std::to_string(number), trial.implementation,
                                    std::string(to_text(trial.outcome)),
                                    std::string(to_text(trial.stage))};
  const Resources resources = trial.resources.value_or(Resources{});
  for (const std::int64_t figure : {std::int64_t{resources.registers}, resources.shared_bytes,
                                    std::int64_t{resources.blocks_per_sm}})
    cells.push_back(figure < 0 ? "" : std::to_string(figure));
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

// What is printed below a trial's line of figures.
void print_details(std::ostream& out, const Trial& trial, Samples samples) {
  out << kIndent << to_text(trial.configuration.values) << '\n';
  const std::string message = trial.message.substr(0, trial.message.find('\n'));
  const bool has_both = !trial.rule.empty() && !message.empty();
  const std::string reason = trial.rule + (has_both ? ": " : "") + message;
  if (!reason.empty()) out << kIndent << reason << '\n';
  if (samples == Samples::listed && trial.timing) print_samples(out, *trial.timing);
}

}  // namespace

std::vector<nlohmann::json> margins_of(const SweepRecord& sweep, const std::vector<Trial>& trials) {
  std::vector<nlohmann::json> margins;
  for (const ImplementationKey& key : sweep.key.implementations) {
    std::vector<Trial> own;
    std::copy_if(trials.begin(), trials.end(), std::back_inserter(own),
                 [&](const Trial& trial) { return trial.implementation == key.name; });
    const auto chosen = choose(own, key.default_configuration);
    if (!chosen) continue;
    const Trial& winner = own[chosen->winner];
    margins.push_back({{"implementation", key.name},
                       {"configuration", to_json(winner.configuration.values)},
                       {"stage", to_text(winner.stage)},
                       {"timing", timing_summary(winner.timing.value())},
                       {"measured", chosen->measured},
                       {"tie", chosen->tie},
                       {"runner_up", rival_of(winner, own, chosen->runner_up)},
                       {"default", rival_of(winner, own, chosen->default_trial)}});
  }
  std::ranges::stable_sort(margins, {}, [](const nlohmann::json& margin) {
    return margin["timing"]["median_us"].get<double>();
  });
  return margins;
}

void print_margins(std::ostream& out, const SweepRecord& sweep,
                   const std::vector<nlohmann::json>& margins) {
  for (const nlohmann::json& margin : margins) {
    const nlohmann::json& timing = margin["timing"];
    out << fmt::format("{}: {}, {}; {}\n{}{}\n", margin["implementation"].get<std::string>(),
                       time_text(timing["median_us"]),
                       interval_text(timing["interval_low_us"], timing["interval_high_us"]),
                       margin_text(sweep, margin), kIndent,
                       to_text(settings_from_json(margin["configuration"])));
  }
  if (!margins.empty()) out << '\n';
}

const SweepRecord& find_sweep(const std::vector<SweepRecord>& sweeps, const std::string& option,
                              const std::string& prefix) {
  const SweepRecord* found = nullptr;
  for (const SweepRecord& record : sweeps) {
    if (!record.uuid.starts_with(prefix)) continue;
    if (found != nullptr)
      throw InputError(fmt::format("--{} '{}' is not enough: {} and {} both begin with it", option,
                                   prefix, found->uuid, record.uuid));
    found = &record;
  }
  if (found == nullptr)
    throw InputError(
        fmt::format("--{} '{}': no stored sweep begins with it; `tilewright "
                    "results` lists them",
                    option, prefix));
  return *found;
}

std::vector<NumberedTrial> sorted(std::vector<Trial> trials) {
  std::vector<NumberedTrial> all;
  for (Trial& trial : trials) all.push_back({all.size() + 1, std::move(trial)});
  std::ranges::stable_sort(all, {}, [](const NumberedTrial& numbered) {
    const Trial& trial = numbered.trial;
    return trial.timing ? std::tuple(0, trial.stage != Stage::final, trial.timing->median_us)
                        : std::tuple(1, false, static_cast<double>(trial.outcome));
  });
  return all;
}

void print_trials(std::ostream& out, std::span<const NumberedTrial> trials, Samples samples) {
  constexpr auto kLeft = Table::Align::left;
  constexpr auto kRight = Table::Align::right;
  Table table(
      {"trial", "implementation", "outcome", "stage", "regs", "shared", "blocks", "median",
       "95 % interval", "spread", "samples", "MHz"},
      {kRight, kLeft, kLeft, kLeft, kRight, kRight, kRight, kRight, kLeft, kRight, kRight, kRight});
  for (const auto& [number, trial] : trials) table.add(cells_of(trial, number));
  const std::vector<std::string> lines = table.lines();
  out << lines.front() << '\n';
  for (std::size_t i = 0; i < trials.size(); ++i) {
    out << lines[i + 1] << '\n';
    print_details(out, trials[i].trial, samples);
  }
}

nlohmann::json json_of(const Trial& trial) {
  nlohmann::json json = to_json(trial);
  if (trial.timing) json["timing"]["samples"] = trial.timing->samples_us.size();
  if (trial.verification) {  // here, numbers that are not finite are null
    json["verification"]["worst_error"] = trial.verification->worst_error;
    json["verification"]["worst_ratio"] = trial.verification->worst_ratio;
  }
  return json;
}

void print_outcomes(std::ostream& out, const std::vector<Trial>& trials) {
  std::map<std::string, std::int64_t> counts;
  for (const Trial& trial : trials)
    if (trial.stage != Stage::final) ++counts[outcome_text(trial)];
  Table table({}, {Table::Align::right});
  for (const auto& [name, count] : counts) table.add({count_text(count), name});
  table.print(out);
}

}  // namespace tilewright::tools
