#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>

#include "campaign/failures.hpp"
#include "campaign/sweep_report.hpp"
#include "db/derived/choose.hpp"
#include "db/ladder/present.hpp"
#include "definition/json/codec.hpp"
#include "definition/json/json.hpp"
#include "definition/text/escape.hpp"
#include "tilewright/statistics.hpp"
#include "tools/input/command.hpp"
#include "tools/input/lookup.hpp"
#include "tools/input/target.hpp"
#include "tools/print/names.hpp"
#include "tools/print/terminal.hpp"
#include "tools/results/trials.hpp"

namespace tilewright::tools {
namespace {

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

// "1.02x slower (95 % 1.01x to 1.02x)": than the winner, in the direction of the words.
std::string slower_text(const nlohmann::json& rival) {
  const double ratio = rival["ratio"];
  std::string text = faster_text(1, ratio);
  if (!rival.contains("ratio_low")) return text;
  const double low = rival["ratio_low"];
  const double high = rival["ratio_high"];
  return text + fmt::format(" (95 % {:.2f}x to {:.2f}x)", ratio < 1 ? 1 / high : low,
                            ratio < 1 ? 1 / low : high);
}

std::string margin_text(const SweepRecord& sweep, const nlohmann::json& margin) {
  const nlohmann::json& runner_up = margin["runner_up"];
  std::string text = margin["tie"] == true
                         ? "a tie with the runner-up"
                         : "runner-up " + (runner_up.is_null() ? "none" : slower_text(runner_up));
  if (!margin["default"].is_null()) return text + "; default " + slower_text(margin["default"]);
  const bool is_default = std::ranges::any_of(sweep.key.implementations, [&](const auto& key) {
    return margin["implementation"] == key.name &&
           nlohmann::json(to_json(key.default_configuration.values)) == margin["configuration"];
  });
  return text + (is_default ? "; it is the default" : "; default not measured");
}

std::string outcome_text(const Trial& trial) {
  std::string text(to_text(trial.outcome));
  if (!trial.rule.empty()) text += " (" + trial.rule + ")";
  return text;
}

// The winner of each implementation, with its margin over the runner-up and the default, the
// fastest first. Implementations without a time are left out.
std::vector<nlohmann::json> margins_of(const KnownSweep& sweep, const std::vector<Trial>& trials) {
  const std::optional<Objective> objective = sweep.objective();
  std::multimap<double, nlohmann::json> margins;  // equal times stay in the sweep's order
  for (const ImplementationKey& key : sweep.record.key.implementations) {
    const std::vector<Trial> own = trials_of(trials, key.name);
    const auto chosen = choose(in_place_of_times(own, objective), key.default_configuration);
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
    if (sweep.operation != nullptr && !sweep.operation->metrics.empty())
      margin["metrics"] = metrics_json(*sweep.operation, call_of(sweep.record, winner));
    const std::vector<Trial> ranked = in_place_of_times({winner}, objective);
    margins.emplace(mean_time_us(ranked.front()), std::move(margin));
  }
  std::vector<nlohmann::json> sorted;
  for (auto& [time_us, margin] : margins) sorted.push_back(std::move(margin));
  return sorted;
}

void mark_winners(std::vector<NumberedTrial>& trials, const std::vector<nlohmann::json>& margins) {
  for (NumberedTrial& one : trials)
    one.is_winner = std::ranges::any_of(margins, [&](const nlohmann::json& margin) {
      return margin["implementation"] == one.trial.implementation &&
             margin["stage"] == to_text(one.trial.stage) &&
             margin["configuration"] == nlohmann::json(to_json(one.trial.configuration.values));
    });
}

void print_margins(std::ostream& out, const SweepRecord& sweep, const StoredNames& names,
                   const std::vector<nlohmann::json>& margins) {
  for (const nlohmann::json& margin : margins) {
    const nlohmann::json& timing = margin["timing"];
    const bool is_robust = margin.contains("warm_timing");
    const std::string warm =
        is_robust ? fmt::format(", {} warm", time_text(margin["warm_timing"]["median_us"])) : "";
    const std::string name = margin["implementation"];
    print_wrapped(out, "",
                  fmt::format("{}  {}{} ({}){}; {}", name, time_text(timing["median_us"]),
                              is_robust ? " cold" : "",
                              interval_text(timing["interval_low_us"], timing["interval_high_us"]),
                              warm, margin_text(sweep, margin)));
    print_wrapped(out, "  ",
                  names.configuration(name, {settings_from_json(margin["configuration"])}));
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

// "826 measured, 3 compile_failed; 8 of them again in the final"
std::string outcomes_text(const std::vector<Trial>& trials) {
  std::map<std::string, std::int64_t> counts;
  std::int64_t finals = 0;
  for (const Trial& trial : trials)
    ++(trial.stage == Stage::final ? finals : counts[outcome_text(trial)]);
  std::string text;
  for (const auto& [name, count] : counts)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count_text(count), name);
  if (finals > 0) text += fmt::format("; {} of them again in the final", count_text(finals));
  return text;
}

constexpr auto kAll = static_cast<std::size_t>(-1);

struct ResultsGiven : GivenPrinting {
  std::string sweep;
  TrialWish trials;
  Samples samples = Samples::summarised;
  std::optional<std::size_t> limit;
  bool is_all = false;
  Places places;

  std::size_t most_shown() const { return is_all ? kAll : limit.value_or(20); }

  void declare(Options& all) {
    all.text(sweep, {"sweep", "ID",
                     "Show the trials of this sweep. The first characters of its id are enough."});
    all.name(trials.outcome, outcome_names(),
             {"outcome", "NAME",
              "Only trials that ended so: measured, wrong_answer, compile_failed, pruned, …, or "
              "failed for all that failed."});
    all.text(trials.sort,
             {"sort", "time|number|registers|shared|occupancy|METRIC",
              "The order of the trials; by time by default. By a metric of the manifest, the best "
              "first."});
    all.flag(samples, Samples::listed,
             {"samples", "", "Also show every sample of a trial, one line for each round."});
    all.number(limit, {"limit", "N", "Number of sweeps or trials to show; 20 by default."});
    all.flag(is_all, {"all", "", "Show all of them."});
    places.declare(all, {kDatabase, kKernels});
    GivenPrinting::declare(all);
  }
};

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
          {"report", record.finished == 0 || report.is_discarded() ? nlohmann::json() : report}};
}

// `finished` is the word for a sweep that is.
std::string state_text(const SweepRecord& record, const std::vector<Trial>& trials,
                       const std::string& finished) {
  const std::string state =
      record.finished == 0 ? tilewright::to_text(progress_of(record, trials)) : finished;
  return record.imported ? state + ", imported" : state;
}

// What libraries computed, by implementation: "cublasLt 13.1.0".
std::map<std::string, std::string> libraries_of(const SweepRecord& record,
                                                const StoredNames& names) {
  std::map<std::string, std::string> libraries;
  for (const ImplementationKey& key : record.key.implementations)
    if (const Implementation* const known = names.implementation(key.name))
      if (known->is_routine()) libraries[key.name] = key.source_hash;
  return libraries;
}

void print_heading(std::ostream& out, const SweepRecord& record, const std::vector<Trial>& trials,
                   const StoredNames& names) {
  const SweepKey& key = record.key;
  print_wrapped(out, "",
                visible_line(fmt::format("{} | {} | {}",
                                         named_problem(key.operation, names.problem(key.problem)),
                                         key.device.name, policy_text(key.policy))));
  print_wrapped(out, "",
                fmt::format("sweep {}, {}", record.uuid,
                            state_text(record, trials, "finished " + date_text(record.finished))));
  for (const auto& [name, library] : libraries_of(record, names))
    print_wrapped(out, "", visible_line(fmt::format("{} is {}", name, library)));
}

// The implementations whose sources have changed since the sweep.
std::vector<std::string> changed_since(const SweepRecord& record,
                                       const PresentDefinitions& present) {
  std::vector<std::string> changed;
  for (const ImplementationKey& key : record.key.implementations)
    if (present.has_other_source(key.name, key.source_hash)) changed.push_back(key.name);
  return changed;
}

int show_sweep(const ResultsGiven& given, const Store& store, const SweepRecord& record,
               const StoredNames& names, const PresentDefinitions& present) {
  const std::vector<Trial> trials = store.trials(record.id);
  const KnownSweep sweep{record, names.operation(record.key.operation)};
  const std::vector<nlohmann::json> margins = margins_of(sweep, trials);
  std::vector<NumberedTrial> all = chosen_trials(given.trials, trials, sweep);
  mark_winners(all, margins);
  const std::span shown(all.data(), std::min(given.most_shown(), all.size()));
  if (given.json) {
    nlohmann::json json = json_of_sweep(record);
    json["winners"] = margins;
    json["changed_sources"] = changed_since(record, present);
    json["libraries"] = libraries_of(record, names);
    json["trials"] = json_list(shown, [&](const NumberedTrial& numbered) {
      nlohmann::json trial = json_of(numbered.trial);
      trial["number"] = numbered.number;
      trial["winner"] = numbered.is_winner;
      if (!numbered.metrics.empty())
        trial["metrics"] = metrics_json(*sweep.operation, call_of(sweep.record, numbered.trial));
      return trial;
    });
    print_json(std::cout, json);
    return kDone;
  }
  print_heading(std::cout, record, trials, names);
  for (const std::string& name : changed_since(record, present))
    print_wrapped(std::cout, "", fmt::format("the source of {} has changed since", name));
  if (const auto objective = sweep.objective())
    print_wrapped(
        std::cout, "",
        fmt::format("the best {} was wanted, not the least time", objective->metric().name));
  print_margins(std::cout, record, names, margins);
  print_wrapped(std::cout, "", outcomes_text(trials));
  std::cout << '\n';
  print_trials(std::cout, shown, names, given.samples, given.detail);
  if (shown.size() < all.size())
    std::cerr << fmt::format("{} more; --all shows them\n", all.size() - shown.size());
  return kDone;
}

// The fastest of a sweep: its time, its rate where the operation is known, its name.
std::vector<std::string> best_cells(const SweepRecord& record, const std::vector<Trial>& trials,
                                    const StoredNames& names) {
  const Operation* const operation = names.operation(record.key.operation);
  const std::vector<BestRow> winners =
      winners_of(record, trials, KnownSweep{record, operation}.objective());
  if (winners.empty()) return {"none", "", ""};
  const BestRow& best = winners.front();
  const double us = median_of(best.trial);
  return {time_text(us), operation == nullptr ? "" : rate_text(rate_of(*operation, call_of(best))),
          best.implementation};
}

// Why some sweeps have no rate, and what to name; empty if all are known.
std::string missing_definitions(std::span<const SweepRecord> sweeps, const StoredNames& names) {
  std::set<std::string> missing;
  for (const SweepRecord& sweep : sweeps)
    if (names.operation(sweep.key.operation) == nullptr) missing.insert(sweep.key.operation);
  if (missing.empty()) return "";
  return fmt::format(
      "no rate of {}: no definition of {} is in the library; name the manifest, `tilewright "
      "results "
      "FILE.toml`, or its folder with --kernels",
      fmt::join(missing, ", "), missing.size() == 1 ? "it" : "them");
}

int list_sweeps(const ResultsGiven& given, const Store& store,
                const std::vector<SweepRecord>& sweeps, std::size_t all, const StoredNames& names) {
  if (given.json) {
    const nlohmann::json list = json_list(std::span(sweeps), json_of_sweep);
    print_json(std::cout, nlohmann::json{{"sweeps", list}});
    return kDone;
  }
  Table table({"sweep", "started", "state", "best", "rate", "implementation", "policy", "device",
               "problem"},
              {3});
  table.may_lose({2, 6, 1, 4, 7, 5});
  for (const SweepRecord& record : sweeps) {
    const std::vector<Trial> trials = store.trials(record.id);
    std::vector<std::string> cells = {record.uuid.substr(0, 8), date_text(record.started),
                                      state_text(record, trials, "finished")};
    for (std::string& cell : best_cells(record, trials, names)) cells.push_back(std::move(cell));
    cells.push_back(policy_text(record.key.policy));
    cells.push_back(record.key.device.name);
    cells.push_back(named_problem(record.key.operation, names.problem(record.key.problem)));
    table.add(std::move(cells));
  }
  table.print(std::cout);
  print_wrapped(std::cerr, "", visible_line(missing_definitions(sweeps, names)));
  if (given.most_shown() < all)
    std::cerr << fmt::format("{} more; --all shows them\n", all - given.most_shown());
  return kDone;
}

void refuse_contradictions(const ResultsGiven& given) {
  if (given.limit && given.is_all)
    throw InputError("--limit shows some and --all shows all; give one of them");
  for (const auto& [option, is_given] : {std::pair("sort", !given.trials.sort.empty()),
                                         {"samples", given.samples == Samples::listed},
                                         {"outcome", !given.trials.outcome.empty()}})
    if (is_given && given.sweep.empty())
      throw bad_input("--{} is for the trials of a sweep; add --sweep ID", option);
}

int run_results(const ResultsGiven& given) {
  if (given.words.size() > 1)
    throw bad_input("results takes one operation; '{}' is one too many", given.words[1]);
  refuse_contradictions(given);
  std::string name = given.words.empty() ? "" : given.words.front();
  const std::unique_ptr<Store> store = open_for_reading(given.places);
  const std::set<std::string> stored = stored_operations(store.get());
  const Library library = library_for_names(given.places, stored);
  StoredNames names(library, given.detail);
  std::optional<Family> own;
  PresentDefinitions present;
  if (file_in(name)) {
    own = find_family(name, library);
    name = own->operation.name;
    names.add(*own);
    present.add(*own);
  }
  for (const auto& [operation, family] : library.families()) present.add(family);
  Query query = query_for(name);
  query.uuid = given.sweep;
  const std::size_t most = given.sweep.empty() ? given.most_shown() : kAll;
  const std::vector<SweepRecord> sweeps =
      store ? store->newest_sweeps({query}, most) : std::vector<SweepRecord>{};
  if (!given.sweep.empty() && store)
    return show_sweep(given, *store, find_sweep(*store, sweeps, "sweep", given.sweep), names,
                      present);
  const std::size_t all = store ? store->count_sweeps({query}) : 0;
  if (!sweeps.empty() || all > most) return list_sweeps(given, *store, sweeps, all, names);
  if (!name.empty() && !own) require_name(name, library, stored);
  if (given.json && given.sweep.empty())
    print_json(std::cout, nlohmann::json{{"sweeps", nlohmann::json::array()}});
  return tell_nothing(store ? "no stored sweep matches" : no_database_text(given.places));
}

}  // namespace

Command results_command() {
  return make_command(
      {"results", Purpose::ask,
       "List stored sweeps, or the trials of one: times, failures and their reasons.",
       "[OPERATION[/IMPLEMENTATION]|FILE.toml] [options]",
       "  tilewright results gemm\n"
       "  tilewright results --sweep 1f3a --all\n"
       "  tilewright results --sweep 1f3a --outcome compile_failed --verbose\n"
       "  tilewright results --sweep 1f3a --limit 3 --samples\n"},
      run_results);
}

}  // namespace tilewright::tools
