// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <optional>

#include "tilewright/error.hpp"
#include "tools/command.hpp"
#include "tools/compile_queue.hpp"
#include "tools/device_lock.hpp"
#include "tools/device_process.hpp"
#include "tools/interrupt.hpp"
#include "tools/machine_report.hpp"
#include "tools/paths.hpp"
#include "tools/progress.hpp"
#include "tools/report.hpp"
#include "tools/store_observer.hpp"
#include "tools/sweep_report.hpp"
#include "tools/sweep_setup.hpp"
#include "tuner/search/strategy.hpp"

namespace tilewright::tools {
namespace {

void print_title(const SweepSetup& setup) {
  const SweepRequest& request = setup.request;
  std::cerr << fmt::format("{} {} on {} ({}), {}: {}", request.operation->name,
                           problem_text(*request.operation, request.problem), request.device.name,
                           setup.device.id, to_text(request.policy),
                           counted(static_cast<std::int64_t>(setup.legal), "legal configuration",
                                   "legal configurations"));
  if (setup.budget_was_chosen)
    std::cerr << fmt::format(
        "; trying up to {} of them (--budget all tries every one, --budget N another number)",
        request.budget);
  std::cerr << std::endl;
}

// The answer on standard output, as a table or JSON.
void print_answer(const Arguments& arguments, const SweepSetup& setup, const SweepRecord& record,
                  const nlohmann::json& report, const std::vector<BestRow>& winners) {
  if (arguments.has("json")) {
    nlohmann::json json = {{"sweep", record.uuid},
                           {"operation", setup.key.operation},
                           {"problem", json_of(setup.key.problem.values)},
                           {"device", json_of(setup.key.device)},
                           {"policy", to_text(setup.key.policy)},
                           {"report", report},
                           {"winners", nlohmann::json::array()}};
    for (const BestRow& row : winners) json["winners"].push_back(json_of(row));
    print_json(std::cout, json);
  } else {
    print_report(std::cout, *setup.request.operation, report, winners);
  }
}

int answer(const Arguments& arguments, const SweepSetup& setup, const SweepRecord& record,
           const nlohmann::json& report, const std::vector<BestRow>& winners) {
  print_answer(arguments, setup, record, report, winners);
  if (!winners.empty()) return kDone;
  std::cerr << fmt::format(
      "no configuration was measured; `tilewright results --sweep {} --all` says why\n",
      record.uuid.substr(0, 8));
  return kNothing;
}

// A sweep that is on record already.
int answer_from_store(const Arguments& arguments, const SweepSetup& setup, const Store& store,
                      const SweepRecord& record) {
  std::cerr << fmt::format("already finished {}; --fresh measures anew\n",
                           age_text(record.finished));
  nlohmann::json report = nlohmann::json::parse(record.report, nullptr, false);
  if (!report.is_object()) report = nlohmann::json::object();
  return answer(arguments, setup, record, report, winners_of(record, store.trials(record.id)));
}

Store::Start start_of(const Arguments& arguments) {
  if (arguments.has("fresh")) return Store::Start::fresh;
  return arguments.has("retry") ? Store::Start::retry : Store::Start::resume;
}

// The finished sweep that answers already, unless it is to be measured again.
std::optional<SweepRecord> finished_before(const Arguments& arguments, const SweepSetup& setup,
                                           const Store& store) {
  if (start_of(arguments) != Store::Start::resume) return std::nullopt;
  return store.finished_sweep(setup.key);
}

void say_what_is_kept(const Arguments& arguments, std::size_t kept) {
  if (kept == 0) return;
  std::cerr << fmt::format("{}: {} kept\n",
                           arguments.has("retry")
                               ? "trying again what a fault or a limit of time ended"
                               : "going on with an interrupted sweep",
                           counted(static_cast<std::int64_t>(kept), "trial", "trials"));
}

int measure(const Arguments& arguments, SweepSetup& setup, Store& store,
            InterruptGuard& interrupt) {
  PoolQueue compilers(arguments, compiler_for(setup.request.device));
  DeviceClient device(device_process(arguments, setup.request.device, interrupt.stop()));

  const SweepRecord record = store.begin_sweep(setup.key, setup.environment, start_of(arguments));
  setup.request.done = store.trials(record.id);
  say_what_is_kept(arguments, setup.request.done.size());
  const auto monitor = monitor_for(setup.device);
  setup.request.monitor = monitor.get();
  CutTally tally(setup.request.done);
  StoreObserver keep(store, record, setup.request.done);
  SweepProgress progress(std::cerr, stderr_display());
  ObserverList observers({&keep, &tally, &progress});
  interrupt.trials_begin();
  const SweepSummary summary =
      run_sweep(setup.request, compilers, device, observers, interrupt.stop());
  progress.finish();
  if (const std::string what = disturbance(summary.machine); !what.empty())
    std::cerr << "warning: " << what << '\n';

  const nlohmann::json report = report_of(summary, tally);
  if (summary.end == SweepEnd::interrupted) {
    std::cerr << "interrupted; the same command goes on from here\n";
    print_answer(arguments, setup, record, report, winners_of(record, keep.trials()));
    return kInterrupted;
  }
  keep.finish(report.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  return answer(arguments, setup, record, report, winners_of(record, keep.trials()));
}

int run(const Arguments& arguments) {
  SweepSetup setup = prepare_sweep(arguments);
  print_title(setup);
  const auto is_empty = [](const Space& space) { return space.pruned.empty(); };
  const bool nothing_to_record = std::all_of(setup.spaces.begin(), setup.spaces.end(), is_empty);
  if (setup.legal == 0 && nothing_to_record) {
    print_spaces(std::cout, setup);
    std::cerr << "no configuration is legal for this problem on this device\n";
    return kNothing;
  }
  Store store(database_file(arguments));
  if (const auto record = finished_before(arguments, setup, store))
    return answer_from_store(arguments, setup, store, *record);
  InterruptGuard interrupt;
  const DeviceClaim claim = claim_device(arguments, setup.device, interrupt.stop(), std::cerr);
  if (!claim.lock) {
    std::cerr << "interrupted\n";
    return kInterrupted;
  }
  if (claim.waited)  // perhaps for this very sweep
    if (const auto record = finished_before(arguments, setup, store))
      return answer_from_store(arguments, setup, store, *record);
  return measure(arguments, setup, store, interrupt);
}

std::vector<OptionSpec> options() {
  std::vector<OptionSpec> all = {
      {"device", "DEVICE",
       "Where to measure, as `tilewright devices` lists it; by default cuda:0, "
       "or host where there is no GPU."},
      {"policy", "warm|cold",
       "Whether operands stay in the L2; by default warm for operands "
       "under a quarter of it, cold above. The host is measured warm."},
      {"strategy", "NAME",
       "exhaustive, random, local, genetic or model; by default exhaustive where the budget covers "
       "all, else model."},
      {"budget", "N|all",
       "Configurations to try, those with another's code not counted; by default all up to 500, "
       "else 500 or fewer: the search ends when it has found nothing better for long."},
      {"time-limit", "TIME", "Stop after this time: 60s, 5m, 1h."},
      {"target", "TIME", "Stop searching at this time of a call: 250us, 1.5ms."},
      {"fresh", "", "Measure anew what is on record."},
      {"retry", "", "Try again what faulted or ran out of time; the rest is kept."},
      no_wait_option(),
      occupancy_floor_option(),
      max_spill_option(),
      where_option(),
      seed_option(),
      jobs_option(),
      database_option(),
      cache_option(),
      kernels_option(),
      json_option()};
  const std::vector<OptionSpec> limits = limit_options();
  all.insert(all.end() - 1, limits.begin(), limits.end());
  return all;
}

}  // namespace

Command sweep_command() {
  return {"sweep",
          "Measure configurations on a device and keep every result.",
          "OPERATION[/IMPLEMENTATION]|FILE.toml DIM=VALUE… [options]",
          "  tilewright sweep gemm M=1024 N=1024 K=1024\n"
          "  tilewright sweep gemm/tiled M=N=K=4096 --budget 200 --time-limit 5m\n"
          "  tilewright sweep conv1d length=16777216 taps=9 boundary=reflect --policy cold\n",
          options(),
          run};
}

}  // namespace tilewright::tools
