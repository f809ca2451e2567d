#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <ostream>
#include <ranges>

#include "campaign/device_lock.hpp"
#include "definition/json/json.hpp"
#include "tools/input/command.hpp"
#include "tools/input/lookup.hpp"
#include "tools/input/paths.hpp"
#include "tools/input/worker_options.hpp"
#include "tools/print/progress.hpp"
#include "tools/print/report.hpp"
#include "tools/work/interrupt.hpp"
#include "tools/work/recheck.hpp"
#include "tuner/worker/device_client.hpp"

namespace tilewright::tools {
namespace {

std::string timed(double median_us, double low_us, double high_us) {
  return fmt::format("{} ({} to {})", time_text(median_us), time_text(low_us), time_text(high_us));
}

std::string stored_text(const BestRow& row) {
  if (!row.trial.timing) return "";
  const Timing& timing = *row.trial.timing;
  return timed(timing.median_us, timing.interval_low_us, timing.interval_high_us);
}

std::vector<std::string> cells_of(const Rechecked& result) {
  const BestRow& row = result.item.row;
  std::vector<std::string> cells = {row.implementation, tilewright::to_text(row.problem.values),
                                    row.device.name, tilewright::to_text(row.policy),
                                    stored_text(row)};
  const auto& time = result.confirmation.time;
  cells.push_back(time ? timed(time->median_us, time->interval_low_us, time->interval_high_us)
                       : "");
  cells.push_back(time && time->sm_mhz > 0 ? fmt::format("{:.0f}", time->sm_mhz) : "");
  cells.emplace_back(to_text(result.confirmation.verdict));
  const std::string& message = result.confirmation.message;
  cells.push_back(message.substr(0, message.find('\n')));
  return cells;
}

nlohmann::json time_json(const Timing& timing) {
  return {{"median_us", timing.median_us},
          {"interval_low_us", timing.interval_low_us},
          {"interval_high_us", timing.interval_high_us},
          {"sm_mhz", timing.sm_mhz}};
}

nlohmann::json json_of_rival(const Trial& trial) {
  nlohmann::json json = {{"configuration", to_json(trial.configuration.values)},
                         {"outcome", to_text(trial.outcome)}};
  if (trial.timing) json["timing"] = time_json(*trial.timing);
  return json;
}

nlohmann::json json_of_one(const Rechecked& result) {
  const BestRow& row = result.item.row;
  const Confirmation& confirmation = result.confirmation;
  nlohmann::json json = {{"implementation", row.implementation},
                         {"configuration", to_json(row.configuration.values)},
                         {"problem", to_json(row.problem.values)},
                         {"device", device_summary(row.device)},
                         {"policy", tilewright::to_text(row.policy)},
                         {"sweep", row.sweep_uuid},
                         {"was_stale", result.item.was_stale},
                         {"environment", to_json(confirmation.environment)},
                         {"verdict", to_text(confirmation.verdict)},
                         {"message", confirmation.message},
                         {"code_hash", confirmation.code_hash},
                         {"stored_code_hash", row.trial.code_hash}};
  if (row.trial.timing) json["stored"] = time_json(*row.trial.timing);
  if (result.now.winner.timing) json["now"] = time_json(*result.now.winner.timing);
  if (result.now.runner_up) json["runner_up"] = json_of_rival(*result.now.runner_up);
  if (result.now.standard) json["default"] = json_of_rival(*result.now.standard);
  return json;
}

void print_rechecked(std::ostream& out, const std::vector<Rechecked>& results) {
  using Align = Table::Align;
  Table table(
      {"implementation", "problem", "device", "policy", "stored", "now", "MHz", "verdict", ""},
      {Align::left, Align::left, Align::left, Align::left, Align::right, Align::right,
       Align::right});
  for (const Rechecked& result : results) table.add(cells_of(result));
  table.print(out);
}

nlohmann::json json_of_all(const std::vector<Rechecked>& results) {
  nlohmann::json json = {{"rechecked", nlohmann::json::array()},
                         {"verdicts", nlohmann::json::object()}};
  for (const Rechecked& result : results) {
    json["rechecked"].push_back(json_of_one(result));
    auto& count = json["verdicts"][std::string(to_text(result.confirmation.verdict))];
    count = count.is_null() ? 1 : count.get<int>() + 1;
  }
  return json;
}

// Stores each verdict as soon as it is found, and shows the progress.
class Keeper {
 public:
  Keeper(Store& store, std::size_t total) : store_(store), line_(std::cerr, stderr_display()) {
    line_.start(total, 0);
  }
  void operator()(Rechecked result) {
    store_.add_confirmation(result.confirmation);
    line_.step(
        fmt::format("{} {}", result.item.row.implementation, to_text(result.confirmation.verdict)));
    results.push_back(std::move(result));
  }
  void finish() { line_.finish(); }

  std::vector<Rechecked> results;

 private:
  Store& store_;
  ProgressLine line_;
};

void measure_all(const Arguments& arguments, const DeviceReport& report,
                 std::vector<RecheckItem> items, Keeper& keeper, const std::atomic<bool>& stop) {
  const DeviceClaim claim = claim_device(report, stop, when_claimed(arguments));
  for (RecheckItem& item : items) item.request.device_index = report.index;
  const WorkerOptions workers = worker_options(arguments);
  CompileProcesses compilers(workers, report.device.kind);
  const std::unique_ptr<Evaluator> device = device_process(workers, report.device, stop);
  measure_items(std::move(items), compilers, *device, stop, std::ref(keeper));
}

void compile_all(const Arguments& arguments, std::vector<RecheckItem> items, Keeper& keeper,
                 const std::atomic<bool>& stop) {
  for (const DeviceKind kind : std::views::reverse(kDeviceKinds)) {
    std::vector<RecheckItem> own;
    std::ranges::copy_if(items, std::back_inserter(own),
                         [kind](const RecheckItem& item) { return item.row.device.kind == kind; });
    if (own.empty() || stop) continue;
    CompileProcesses compilers(worker_options(arguments), kind);
    compile_items(std::move(own), compilers, stop, std::ref(keeper));
  }
}

int answer(const Arguments& arguments, const std::vector<Rechecked>& results) {
  if (arguments.has("json")) {
    print_json(std::cout, json_of_all(results));
  } else if (!results.empty()) {
    print_rechecked(std::cout, results);
  }
  const bool all_hold = std::ranges::all_of(
      results, [](const Rechecked& result) { return confirms(result.confirmation.verdict); });
  return all_hold ? kDone : kNothing;
}

int run_recheck(const Arguments& arguments) {
  const bool is_compile_only = arguments.has("compile-only");
  arguments.number("jobs");
  std::optional<DeviceReport> report;
  if (!is_compile_only) report = device_to_measure_on(arguments);
  const RecheckWish wish =
      read_wish(arguments, report ? std::optional(report->device) : std::nullopt);
  if (!has_database(arguments)) {
    std::cerr << no_database_text(arguments) << '\n';
    return kNothing;
  }
  Store store(database_file(arguments));
  std::vector<RecheckItem> items = items_to_recheck(wish, store);
  if (items.empty()) {
    std::cerr << fmt::format("no stored result matches{}\n",
                             report ? " on " + report->device.name : "");
    return kNothing;
  }
  Keeper keeper(store, items.size());
  InterruptGuard interrupt;
  interrupt.trials_begin();
  if (report) {
    measure_all(arguments, *report, std::move(items), keeper, stop_requested());
  } else {
    compile_all(arguments, std::move(items), keeper, stop_requested());
  }
  keeper.finish();
  const int status = answer(arguments, keeper.results);
  if (!stop_requested()) return status;
  std::cerr << "interrupted; what was rechecked is kept\n";
  return kInterrupted;
}

}  // namespace

Command recheck_command() {
  return {"recheck",
          "Measure stored winners again with the software of today.",
          "[OPERATION[/IMPLEMENTATION]|FILE.toml [DIM=VALUE…]] [options]",
          "  tilewright recheck\n"
          "  tilewright recheck gemm M=N=K=1024\n"
          "  tilewright recheck --compile-only --json\n",
          {{"device", "DEVICE",
            "cuda:N or host; by default cuda:0, or host where there is no GPU. With "
            "--compile-only every stored device, or those whose name contains this."},
           {"compile-only", "", "Only compile and compare the code. Needs no GPU."},
           kNoWaitOption,
           kJobsOption,
           kDatabaseOption,
           kCacheOption,
           kKernelsOption,
           kJsonOption},
          run_recheck};
}

}  // namespace tilewright::tools
