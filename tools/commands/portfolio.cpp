// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <charconv>
#include <iostream>
#include <nlohmann/json.hpp>

#include "tilewright/error.hpp"
#include "tools/input/command.hpp"
#include "tools/input/lookup.hpp"
#include "tools/input/machine.hpp"
#include "tools/input/open_store.hpp"
#include "tools/input/paths.hpp"
#include "tools/print/progress.hpp"
#include "tools/print/report.hpp"
#include "tools/reports/portfolio_report.hpp"
#include "tools/work/compile_queue.hpp"
#include "tools/work/device_lock.hpp"
#include "tools/work/device_process.hpp"
#include "tools/work/interrupt.hpp"
#include "tools/work/portfolio_measure.hpp"
#include "tuner/worker/device_client.hpp"

namespace tilewright::tools {
namespace {

constexpr double kUsualLoss = 0.03;
constexpr std::size_t kUsualMost = 8;

// "3%" as 0.03.
double loss_of(const Arguments& arguments) {
  const auto text = arguments.text("within");
  if (!text) return kUsualLoss;
  double percent = -1;
  const char* const end = text->data() + text->size();
  const auto [last, error] = std::from_chars(text->data(), end, percent);
  if (error != std::errc{} || std::string_view(last, end) != "%" || !(percent >= 0))
    throw InputError(fmt::format("--within '{}': give a loss from 0%, such as 3%", *text));
  return percent / 100;
}

std::size_t most_of(const Arguments& arguments) {
  const std::uint64_t most = arguments.number("at-most").value_or(kUsualMost);
  if (most == 0) throw InputError("--at-most '0': give a number from 1");
  return most;
}

struct PortfolioAsked {
  Target target;
  Device device;
  double within = 0;
  std::size_t at_most = 0;
};

PortfolioView view_of(const PortfolioAsked& asked, const Store& store) {
  PortfolioView view = view_portfolio(asked.target, asked.device, store);
  view.wish.within = asked.within;
  view.wish.at_most = asked.at_most;
  return view;
}

DeviceReport report_of(const Device& device) {
  for (const DeviceReport& report : devices_present())
    if (report.device == device) return report;
  throw MachineError(
      fmt::format("--measure: {} is not here; leave it out to use what is on record", device.name));
}

// Whether all was measured: false if interrupted.
bool measure_missing(const Arguments& arguments, const PortfolioAsked& asked) {
  const DeviceReport report = report_of(asked.device);
  Store store(database_file(arguments));
  const PortfolioView view = view_of(asked, store);
  const std::vector<MissingPairs> missing = missing_pairs(view, choose_portfolio(view.wish));
  if (missing.empty()) return true;
  InterruptGuard interrupt;
  const DeviceClaim claim = claim_device(arguments, report, interrupt.stop(), std::cerr);
  if (!claim.lock) return false;
  PoolQueue compilers(arguments, report.device.kind);
  DeviceClient device(device_process(arguments, report.device, interrupt.stop()));
  const PairBench bench{report, environment_of(report), compilers, device, store, interrupt.stop()};
  ProgressLine line(std::cerr, stderr_display());
  line.start(missing.size(), 0);
  interrupt.trials_begin();
  for (const MissingPairs& pairs : missing) {
    const Problem& problem = view.losses.problems[pairs.problem].problem;
    try {
      if (!measure_pairs(asked.target, view, pairs, bench)) return false;
    } catch (const InputError& error) {
      std::cerr << fmt::format("warning: {}\n", error.what());
    }
    line.step(problem_text(asked.target.operation(), problem));
  }
  line.finish();
  return true;
}

int answer(const Arguments& arguments, const PortfolioAsked& asked, const Store& store) {
  const Operation& operation = asked.target.operation();
  const PortfolioView view = view_of(asked, store);
  if (view.wish.problems == 0) {
    std::cerr << fmt::format("no tuned problem of {} on {}\n", operation.name, asked.device.name);
    return kNothing;
  }
  const ChosenPortfolio chosen = choose_portfolio(view.wish);
  if (arguments.has("json")) {
    print_json(std::cout, json_of(operation, view, chosen));
  } else {
    print_portfolio(std::cout, operation, view, chosen);
  }
  return chosen.served() == view.wish.problems ? kDone : kNothing;
}

int run(const Arguments& arguments) {
  PortfolioAsked asked;
  asked.within = loss_of(arguments);
  asked.at_most = most_of(arguments);
  arguments.number("jobs");
  asked.target = read_target(arguments);
  if (!asked.target.assignments.empty())
    throw InputError(fmt::format("portfolio is for all tuned problems; '{}' is one too many",
                                 asked.target.assignments.front()));
  const std::string& name = asked.target.operation().name;
  {
    const std::unique_ptr<Store> store = open_for_reading(arguments);
    if (!store) {
      std::cerr << no_database_text(arguments) << '\n';
      return kNothing;
    }
    asked.device = wanted_device(arguments, name, store.get(), {}).value_or(Device{});
    if (!arguments.has("measure")) return answer(arguments, asked, *store);
  }
  const bool is_complete = measure_missing(arguments, asked);
  const int status = answer(arguments, asked, *open_for_reading(arguments));
  if (is_complete) return status;
  std::cerr << "interrupted; what was measured is kept\n";
  return kInterrupted;
}

}  // namespace

Command portfolio_command() {
  return {"portfolio",
          "Choose few configurations that serve all tuned problems.",
          "OPERATION[/IMPLEMENTATION]|FILE.toml [options]",
          "  tilewright portfolio gemm\n"
          "  tilewright portfolio gemm --within 5% --at-most 4 --measure\n",
          {{"device", "DEVICE",
            "cuda:N, host, or a part of a stored device's name; by default the GPU present, else "
            "host or the only stored one."},
           {"within", "N%", "How much longer than the best on record is served; 3% by default."},
           {"at-most", "N", "Configurations; 8 by default. What they leave is listed, status 1."},
           {"measure", "",
            "First measure the portfolio's configurations and each problem's fastest where they "
            "have no time."},
           no_wait_option(),
           jobs_option(),
           database_option(),
           cache_option(),
           kernels_option(),
           json_option()},
          run};
}

}  // namespace tilewright::tools
