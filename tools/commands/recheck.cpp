// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <ranges>
#include <iterator>
#include <nlohmann/json.hpp>

#include "tools/input/command.hpp"
#include "tools/input/machine.hpp"
#include "tools/input/open_store.hpp"
#include "tools/input/paths.hpp"
#include "tools/print/progress.hpp"
#include "tools/print/report.hpp"
#include "tools/reports/recheck_report.hpp"
#include "tools/work/compile_queue.hpp"
#include "tools/work/device_lock.hpp"
#include "tools/work/device_process.hpp"
#include "tools/work/interrupt.hpp"
#include "tools/work/recheck_work.hpp"
#include "tuner/worker/device_client.hpp"

namespace tilewright::tools {
namespace {

// Keeps each verdict as it is found, and shows how far it has come.
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
  const DeviceClaim claim = claim_device(arguments, report, stop, std::cerr);
  for (RecheckItem& item : items) item.request.device_index = report.index;
  PoolQueue compilers(arguments, report.device.kind);
  DeviceClient device(device_process(arguments, report.device, stop));
  measure_items(std::move(items), compilers, device, stop, std::ref(keeper));
}

void compile_all(const Arguments& arguments, std::vector<RecheckItem> items, Keeper& keeper,
                 const std::atomic<bool>& stop) {
  for (const DeviceKind kind : std::views::reverse(kDeviceKinds)) {
    std::vector<RecheckItem> own;
    std::ranges::copy_if(items, std::back_inserter(own),
                         [kind](const RecheckItem& item) { return item.row.device.kind == kind; });
    if (own.empty() || stop) continue;
    PoolQueue compilers(arguments, kind);
    compile_items(std::move(own), compilers, stop, std::ref(keeper));
  }
}

int answer(const Arguments& arguments, const std::vector<Rechecked>& results) {
  if (arguments.has("json")) {
    print_json(std::cout, json_of(results));
  } else if (!results.empty()) {
    print_rechecked(std::cout, results);
  }
  const bool all_hold = std::ranges::all_of(
      results, [](const Rechecked& result) { return confirms(result.confirmation.verdict); });
  return all_hold ? kDone : kNothing;
}

int run(const Arguments& arguments) {
  const bool is_compile_only = arguments.has("compile-only");
  arguments.number("jobs");
  std::optional<DeviceReport> report;
  if (!is_compile_only) {
    const auto name = arguments.text("device");
    report = name ? find_device(*name) : local_device({});
  }
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
    measure_all(arguments, *report, std::move(items), keeper, interrupt.stop());
  } else {
    compile_all(arguments, std::move(items), keeper, interrupt.stop());
  }
  keeper.finish();
  const int status = answer(arguments, keeper.results);
  if (!interrupt.stop()) return status;
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
            "--compile-only every stored device, or those with this in their name."},
           {"compile-only", "", "Compile and compare the code; measures nothing, needs no GPU."},
           no_wait_option(),
           jobs_option(),
           database_option(),
           cache_option(),
           kernels_option(),
           json_option()},
          run};
}

}  // namespace tilewright::tools
