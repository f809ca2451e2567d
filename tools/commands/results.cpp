#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <iterator>
#include <map>
#include <span>
#include <tuple>

#include "db/derived/choose.hpp"
#include "definition/json/codec.hpp"
#include "definition/json/json.hpp"
#include "definition/text/escape.hpp"
#include "tilewright/error.hpp"
#include "tilewright/statistics.hpp"
#include "tools/input/command.hpp"
#include "tools/input/lookup.hpp"
#include "tools/print/report.hpp"

namespace tilewright::tools {
namespace {

enum class Samples { summarised, listed };

constexpr const char* kIndent = "  ";

// A trial that the winner is compared with. Null if there is none, or if it is the winner. The
// ratio has an interval if both have rounds.
nlohmann::json rival_of(const Trial& winner, const std::vector<Trial>& trials,
                        std::optional<std::size_t> index) {
  if (!index || trials[*index].configuration == winner.configuration) return nullptr;
  const Timing& of_rival = trials[*index].timing.value();
  const Timing& of_winner = winner.timing.value();
  const Ratio ratio = worst_ratio(times_of(trials[*index]), times_of(winner));
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
    return margin["implementation"] == key.name &&
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
  if (!trial.warm_timing) return;
  const Timing& warm = *trial.warm_timing;
  out << fmt::format("{}with warm operands {}, {}\n", kIndent, time_text(warm.median_us),
                     interval_text(warm.interval_low_us, warm.interval_high_us));
  if (samples == Samples::listed) print_samples(out, warm);
}

// The winner of each implementation, with its margin over the runner-up and the default, the
// fastest first. Implementations without a time are left out.
std::vector<nlohmann::json> margins_of(const SweepRecord& sweep, const std::vector<Trial>& trials) {
  std::multimap<double, nlohmann::json> margins;  // equal times stay in the sweep's order
  for (const ImplementationKey& key : sweep.key.implementations) {
    std::vector<Trial> own;
    std::copy_if(trials.begin(), trials.end(), std::back_inserter(own),
                 [&](const Trial& trial) { return trial.implementation == key.name; });
    const auto chosen = choose(own, key.default_configuration);
    if (!chosen) continue;
    const Trial& winner = own[chosen->winner];
    nlohmann::json margin = {{"implementation", key.name},
                             {"configuration", to_json(winner.configuration.values)},
                             {"stage", to_text(winner.stage)},
                             {"timing", timing_summary(winner.timing.value())},
                             {"measured", chosen->measured},
                             {"tie", chosen->tie},
                             {"runner_up", rival_of(winner, own, chosen->runner_up)},
                             {"default", rival_of(winner, own, chosen->default_trial)}};
    if (winner.warm_timing) margin["warm_timing"] = timing_summary(*winner.warm_timing);
    margins.emplace(mean_time_us(winner), std::move(margin));
  }
  std::vector<nlohmann::json> sorted;
  for (auto& [time_us, margin] : margins) sorted.push_back(std::move(margin));
  return sorted;
}

// Ends with an empty line if there is a margin.
void print_margins(std::ostream& out, const SweepRecord& sweep,
                   const std::vector<nlohmann::json>& margins) {
  for (const nlohmann::json& margin : margins) {
    const nlohmann::json& timing = margin["timing"];
    const std::string warm = margin.contains("warm_timing")
                                 ? ", warm " + time_text(margin["warm_timing"]["median_us"])
                                 : "";
    out << fmt::format("{}: {}, {}{}; {}\n{}{}\n", margin["implementation"].get<std::string>(),
                       time_text(timing["median_us"]),
                       interval_text(timing["interval_low_us"], timing["interval_high_us"]), warm,
                       margin_text(sweep, margin), kIndent,
                       to_text(settings_from_json(margin["configuration"])));
  }
  if (!margins.empty()) out << '\n';
}

struct NumberedTrial {
  std::size_t number = 0;  // in the sweep, from 1
  Trial trial;
};

// Those with times first: those of the final before those of the screening, and the fastest first.
// The others follow by outcome.
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

// For each trial a line of figures that begins with its number, then its configuration and
// further details.
void print_trials(std::ostream& out, std::span<const NumberedTrial> trials, Samples samples) {
  Table table({"trial", "implementation", "outcome", "stage", "regs", "shared", "blocks", "median",
               "95 % interval", "spread", "samples", "MHz"},
              {0, 4, 5, 6, 7, 9, 10, 11});
  for (const auto& [number, trial] : trials) table.add(cells_of(trial, number));
  const std::vector<std::string> lines = table.lines();
  out << lines.front() << '\n';
  for (std::size_t i = 0; i < trials.size(); ++i) {
    out << lines[i + 1] << '\n';
    print_details(out, trials[i].trial, samples);
  }
}

// With the raw samples.
nlohmann::json json_of(const Trial& trial) {
  nlohmann::json json = to_json(trial);
  if (trial.timing) json["timing"]["samples"] = trial.timing->samples_us.size();
  if (trial.verification) {  // here, numbers that are not finite are null
    json["verification"]["worst_error"] = trial.verification->worst_error;
    json["verification"]["worst_ratio"] = trial.verification->worst_ratio;
  }
  return json;
}

// How many trials had which outcome, without those of the final.
void print_outcomes(std::ostream& out, const std::vector<Trial>& trials) {
  std::map<std::string, std::int64_t> counts;
  for (const Trial& trial : trials)
    if (trial.stage != Stage::final) ++counts[outcome_text(trial)];
  Table table({}, {0});
  for (const auto& [name, count] : counts) table.add({count_text(count), name});
  table.print(out);
}

constexpr std::size_t kDefaultLimit = 20;

std::size_t limit_of(const Arguments& arguments) {
  if (arguments.has("all")) return static_cast<std::size_t>(-1);
  return arguments.number("limit").value_or(kDefaultLimit);
}

nlohmann::json json_of_sweep(const SweepRecord& record) {
  // An unfinished sweep has no report.
  const nlohmann::json report = parse_sorted(record.report);
  return {{"sweep", record.uuid},
          {"operation", record.key.operation},
          {"implementations", json_list(record.key.implementations, &ImplementationKey::name)},
          {"problem", to_json(record.key.problem.values)},
          {"device", device_summary(record.key.device)},
          {"policy", to_text(record.key.policy)},
          {"environment", to_json(record.environment)},
          {"where", record.key.where},
          {"strategy", record.key.strategy},
          {"budget", record.key.budget},
          {"seed", record.key.seed},
          {"started", record.started},
          {"finished", record.finished},
          {"imported", record.imported},
          {"report", report.is_discarded() ? nlohmann::json() : report}};
}

std::string state_text(const SweepRecord& record) {
  const std::string state = record.finished == 0 ? "not finished" : "finished";
  return record.imported ? state + ", imported" : state;
}

int show_sweep(const Arguments& arguments, const Store& store, const SweepRecord& record) {
  const std::vector<Trial> trials = store.trials(record.id);
  const std::vector<NumberedTrial> all = sorted(trials);
  const std::span shown(all.data(), std::min(limit_of(arguments), all.size()));
  if (arguments.has("json")) {
    nlohmann::json json = json_of_sweep(record);
    json["winners"] = margins_of(record, trials);
    json["trials"] = json_list(shown, [](const NumberedTrial& numbered) {
      nlohmann::json trial = json_of(numbered.trial);
      trial["number"] = numbered.number;
      return trial;
    });
    print_json(std::cout, json);
    return kDone;
  }
  std::cout << visible_line(fmt::format(
                   "{}: {} {} on {}, {}, {}", record.uuid, record.key.operation,
                   to_text(record.key.problem.values), record.key.device.name,
                   to_text(record.key.policy),
                   record.finished == 0 ? state_text(record)
                                        : state_text(record) + ' ' + date_text(record.finished)))
            << "\n\n";
  print_margins(std::cout, record, margins_of(record, trials));
  print_outcomes(std::cout, trials);
  std::cout << '\n';
  print_trials(std::cout, shown, arguments.has("samples") ? Samples::listed : Samples::summarised);
  if (shown.size() < all.size())
    std::cerr << fmt::format("{} more; --all shows them\n", all.size() - shown.size());
  return kDone;
}

int list_sweeps(const Arguments& arguments, const std::vector<SweepRecord>& sweeps) {
  const std::size_t shown = std::min(limit_of(arguments), sweeps.size());
  if (arguments.has("json")) {
    const nlohmann::json list = json_list(std::span(sweeps).first(shown), json_of_sweep);
    print_json(std::cout, nlohmann::json{{"sweeps", list}});
    return kDone;
  }
  Table table(
      {"sweep", "started", "state", "operation", "problem", "device", "policy", "strategy"});
  for (std::size_t i = 0; i < shown; ++i) {
    const SweepRecord& record = sweeps[i];
    table.add({record.uuid.substr(0, 8), date_text(record.started), state_text(record),
               record.key.operation, to_text(record.key.problem.values), record.key.device.name,
               to_text(record.key.policy), record.key.strategy});
  }
  table.print(std::cout);
  if (shown < sweeps.size())
    std::cerr << fmt::format("{} more; --all shows them\n", sweeps.size() - shown);
  return kDone;
}

int run_results(const Arguments& arguments) {
  if (arguments.words().size() > 1)
    throw InputError(
        fmt::format("results takes one operation; '{}' is one too many", arguments.words()[1]));
  limit_of(arguments);
  const Query query = arguments.words().empty() ? Query{} : query_for(arguments.words().front());
  const std::unique_ptr<Store> store = open_for_reading(arguments);
  std::vector<SweepRecord> sweeps = store ? store->sweeps(query) : std::vector<SweepRecord>{};
  std::reverse(sweeps.begin(), sweeps.end());  // the newest first
  if (const auto prefix = arguments.text("sweep"); prefix && !sweeps.empty())
    return show_sweep(arguments, *store, find_sweep(sweeps, "sweep", *prefix));
  if (!sweeps.empty()) return list_sweeps(arguments, sweeps);
  std::cerr << (store ? "no stored sweep matches" : no_database_text(arguments)) << '\n';
  return kNothing;
}

}  // namespace

Command results_command() {
  return {
      "results",
      "List stored sweeps, or the trials of one.",
      "[OPERATION[/IMPLEMENTATION]] [options]",
      "  tilewright results gemm\n"
      "  tilewright results --sweep 1f3a --all\n"
      "  tilewright results --sweep 1f3a --limit 3 --samples\n",
      {{"sweep", "ID", "Show the trials of this sweep. The first characters of its id are enough."},
       {"samples", "", "Also show every sample of a trial, one line for each round."},
       {"limit", "N", "Number of sweeps or trials to show; 20 by default."},
       {"all", "", "Show all of them."},
       kDatabaseOption,
       kJsonOption},
      run_results};
}

}  // namespace tilewright::tools
