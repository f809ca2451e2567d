#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <span>

#include "definition/json/json.hpp"
#include "tilewright/error.hpp"
#include "tools/input/command.hpp"
#include "tools/input/lookup.hpp"
#include "tools/print/report.hpp"
#include "tools/print/sweep_view.hpp"

namespace tilewright::tools {
namespace {

constexpr std::size_t kDefaultLimit = 20;

std::size_t limit_of(const Arguments& arguments) {
  if (arguments.has("all")) return static_cast<std::size_t>(-1);
  return arguments.number("limit").value_or(kDefaultLimit);
}

nlohmann::json json_of_sweep(const SweepRecord& record) {
  // An unfinished sweep has no report.
  const nlohmann::json report = nlohmann::json::parse(record.report, nullptr, false);
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
      nlohmann::json trial = tools::json_of(numbered.trial);
      trial["number"] = numbered.number;
      return trial;
    });
    print_json(std::cout, json);
    return kDone;
  }
  std::cout << fmt::format(
      "{}: {} {} on {}, {}, {}\n\n", record.uuid, record.key.operation,
      to_text(record.key.problem.values), record.key.device.name, to_text(record.key.policy),
      record.finished == 0 ? state_text(record)
                           : state_text(record) + ' ' + date_text(record.finished));
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
