// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

#include "tilewright/error.hpp"
#include "tools/command.hpp"
#include "tools/open_store.hpp"
#include "tools/report.hpp"

namespace tilewright::tools {
namespace {

constexpr std::size_t kDefaultLimit = 20;

std::size_t limit_of(const Arguments& arguments) {
  if (arguments.has("all")) return static_cast<std::size_t>(-1);
  return arguments.number("limit").value_or(kDefaultLimit);
}

nlohmann::json json_of_sweep(const SweepRecord& record) {
  nlohmann::json implementations = nlohmann::json::array();
  for (const ImplementationKey& key : record.key.implementations)
    implementations.push_back(key.name);
  // An unfinished sweep has none.
  const nlohmann::json report = nlohmann::json::parse(record.report, nullptr, false);
  return {{"sweep", record.uuid},
          {"operation", record.key.operation},
          {"implementations", implementations},
          {"problem", json_of(record.key.problem.values)},
          {"device", json_of(record.key.device)},
          {"policy", to_text(record.key.policy)},
          {"environment", json_of(record.environment)},
          {"where", record.key.where},
          {"strategy", record.key.strategy},
          {"budget", record.key.budget},
          {"seed", record.key.seed},
          {"started", record.started},
          {"finished", record.finished},
          {"report", report.is_discarded() ? nlohmann::json() : report}};
}

nlohmann::json json_of_trial(const Trial& trial) {
  nlohmann::json json = {{"implementation", trial.implementation},
                         {"configuration", json_of(trial.configuration.values)},
                         {"outcome", to_text(trial.outcome)},
                         {"stage", to_text(trial.stage)},
                         {"rule", trial.rule},
                         {"message", trial.message},
                         {"code_hash", trial.code_hash},
                         {"compile_ms", trial.compile_ms}};
  if (trial.timing) json["timing"] = json_of(*trial.timing);
  if (trial.resources) json["resources"] = json_of(*trial.resources);
  return json;
}

// Times first, fastest first and the final before the screening; then the rest by outcome.
void sort_trials(std::vector<Trial>& trials) {
  const auto median = [](const Trial& trial) { return trial.timing ? trial.timing->median_us : 0; };
  std::stable_sort(trials.begin(), trials.end(), [&](const Trial& a, const Trial& b) {
    if (a.timing.has_value() != b.timing.has_value()) return a.timing.has_value();
    if (a.timing && a.stage != b.stage) return a.stage == Stage::final;
    if (a.timing) return median(a) < median(b);
    return a.outcome < b.outcome;
  });
}

std::string known(std::int64_t number) {
  return number < 0 ? "" : std::to_string(number);
}

std::vector<std::string> cells_of(const Trial& trial) {
  std::vector<std::string> cells = {"", "", "", ""};
  if (const auto& timing = trial.timing) {
    cells = {time_text(timing->median_us),
             fmt::format("{} to {}", time_text(timing->lower_us), time_text(timing->upper_us)),
             timing->sm_mhz > 0 ? fmt::format("{:.0f}", timing->sm_mhz) : "",
             std::string(to_text(trial.stage))};
  }
  const Resources resources = trial.resources.value_or(Resources{});
  cells.push_back(known(resources.registers));
  cells.push_back(known(resources.shared_bytes));
  cells.push_back(known(resources.blocks_per_sm));
  std::string outcome(to_text(trial.outcome));
  if (!trial.rule.empty()) outcome += " (" + trial.rule + ")";
  cells.push_back(outcome);
  cells.push_back(trial.implementation);
  cells.push_back(to_text(trial.configuration.values));
  if (!trial.message.empty()) cells.push_back(trial.message.substr(0, trial.message.find('\n')));
  return cells;
}

void print_trials(const std::vector<Trial>& trials, std::size_t limit) {
  using Align = Table::Align;
  Table table({"median", "interval", "MHz", "stage", "registers", "shared", "blocks", "outcome",
               "implementation", "configuration", ""},
              {Align::right, Align::left, Align::right, Align::left, Align::right, Align::right,
               Align::right});
  for (std::size_t i = 0; i < std::min(limit, trials.size()); ++i) table.add(cells_of(trials[i]));
  table.print(std::cout);
  if (limit < trials.size())
    std::cerr << fmt::format("{} more; --all shows them\n", trials.size() - limit);
}

void print_outcomes(const std::vector<Trial>& trials) {
  std::map<std::string, std::int64_t> counts;
  for (const Trial& trial : trials) {
    if (trial.stage == Stage::final) continue;
    std::string name(to_text(trial.outcome));
    if (!trial.rule.empty()) name += " (" + trial.rule + ")";
    ++counts[name];
  }
  Table table({}, {Table::Align::right});
  for (const auto& [name, count] : counts) table.add({count_text(count), name});
  std::cout << '\n';
  table.print(std::cout);
}

const SweepRecord& find_sweep(const std::vector<SweepRecord>& sweeps, const std::string& prefix) {
  const SweepRecord* found = nullptr;
  for (const SweepRecord& record : sweeps) {
    if (!record.uuid.starts_with(prefix)) continue;
    if (found != nullptr)
      throw InputError(fmt::format("--sweep '{}' is not enough: {} and {} both begin with it",
                                   prefix, found->uuid, record.uuid));
    found = &record;
  }
  if (found == nullptr)
    throw InputError(
        fmt::format("--sweep '{}': no stored sweep begins with it; `tilewright "
                    "results` lists them",
                    prefix));
  return *found;
}

int show_sweep(const Arguments& arguments, const Store& store, const SweepRecord& record) {
  std::vector<Trial> trials = store.trials(record.id);
  sort_trials(trials);
  const std::size_t limit = limit_of(arguments);
  if (arguments.has("json")) {
    nlohmann::json json = json_of_sweep(record);
    json["trials"] = nlohmann::json::array();
    for (std::size_t i = 0; i < std::min(limit, trials.size()); ++i)
      json["trials"].push_back(json_of_trial(trials[i]));
    print_json(std::cout, json);
    return kDone;
  }
  std::cout << fmt::format(
      "{}: {} {} on {}, {}, {}\n\n", record.uuid, record.key.operation,
      to_text(record.key.problem.values), record.key.device.name, to_text(record.key.policy),
      record.finished == 0 ? "not finished" : "finished " + date_text(record.finished));
  print_trials(trials, limit);
  print_outcomes(trials);
  return kDone;
}

int list_sweeps(const Arguments& arguments, const std::vector<SweepRecord>& sweeps) {
  const std::size_t shown = std::min(limit_of(arguments), sweeps.size());
  if (arguments.has("json")) {
    nlohmann::json json = nlohmann::json::array();
    for (std::size_t i = 0; i < shown; ++i) json.push_back(json_of_sweep(sweeps[i]));
    print_json(std::cout, nlohmann::json{{"sweeps", json}});
    return kDone;
  }
  Table table(
      {"sweep", "started", "state", "operation", "problem", "device", "policy", "strategy"});
  for (std::size_t i = 0; i < shown; ++i) {
    const SweepRecord& record = sweeps[i];
    table.add({record.uuid.substr(0, 8), date_text(record.started),
               record.finished == 0 ? "not finished" : "finished", record.key.operation,
               to_text(record.key.problem.values), record.key.device.name,
               to_text(record.key.policy), record.key.strategy});
  }
  table.print(std::cout);
  if (shown < sweeps.size())
    std::cerr << fmt::format("{} more; --all shows them\n", sweeps.size() - shown);
  return kDone;
}

int run(const Arguments& arguments) {
  if (arguments.words().size() > 1)
    throw InputError(
        fmt::format("results takes one operation; '{}' is one too many", arguments.words()[1]));
  limit_of(arguments);
  Query query;
  if (!arguments.words().empty()) {
    const std::string& name = arguments.words().front();
    const std::size_t slash = name.find('/');
    query.operation = name.substr(0, slash);
    if (slash != std::string::npos) query.implementation = name;
  }
  const std::unique_ptr<Store> store = open_for_reading(arguments);
  std::vector<SweepRecord> sweeps = store ? store->sweeps(query) : std::vector<SweepRecord>{};
  std::reverse(sweeps.begin(), sweeps.end());  // the newest first
  if (const auto prefix = arguments.text("sweep"); prefix && !sweeps.empty())
    return show_sweep(arguments, *store, find_sweep(sweeps, *prefix));
  if (!sweeps.empty()) return list_sweeps(arguments, sweeps);
  std::cerr << (store ? "no stored sweep matches" : no_database_text(arguments)) << '\n';
  return kNothing;
}

}  // namespace

Command results_command() {
  return {"results",
          "List stored sweeps, or the trials of one.",
          "[OPERATION[/IMPLEMENTATION]] [options]",
          "  tilewright results gemm\n"
          "  tilewright results --sweep 1f3a --all\n",
          {{"sweep", "ID", "Show the trials of this sweep; the first letters of its id do."},
           {"limit", "N", "Lines to show; 20 by default."},
           {"all", "", "Show every line."},
           database_option(),
           json_option()},
          run};
}

}  // namespace tilewright::tools
