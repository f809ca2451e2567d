// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "definition/json/json.hpp"
#include "tilewright/error.hpp"
#include "tools/input/command.hpp"
#include "tools/input/open_store.hpp"
#include "tools/input/priors.hpp"
#include "tools/input/shapes.hpp"
#include "tools/print/report.hpp"
#include "tools/reports/shapes_report.hpp"
#include "tools/reports/sweep_report.hpp"
#include "tools/work/device_process.hpp"
#include "tools/work/sweep_runner.hpp"
#include "tuner/search/strategy.hpp"

namespace tilewright::tools {
namespace {

nlohmann::json answer_json(const SweepAnswer& answer) {
  const SweepKey& key = answer.record.key;
  nlohmann::json json = {{"sweep", answer.record.uuid},
                         {"operation", key.operation},
                         {"problem", to_json(key.problem.values)},
                         {"device", device_summary(key.device)},
                         {"policy", to_text(key.policy)},
                         {"report", answer.report},
                         {"winners", nlohmann::json::array()}};
  for (const BestRow& row : answer.winners) json["winners"].push_back(json_of(row));
  return json;
}

// The answer on standard output, as a table or JSON.
void print_answer(const Arguments& arguments, const SweepSetup& setup, const SweepAnswer& answer) {
  if (answer.record.uuid.empty()) {
    if (answer.status == kNothing) print_spaces(std::cout, setup);
  } else if (arguments.has("json")) {
    print_json(std::cout, answer_json(answer));
  } else {
    print_report(std::cout, *setup.request.operation, answer.report, answer.winners);
  }
}

int run_one(const Arguments& arguments) {
  SweepSetup setup = prepare_sweep(arguments);
  const SweepAnswer answer = SweepRunner(arguments).run(setup);
  print_answer(arguments, setup, answer);
  return answer.status;
}

// Calls `use` with what it throws on bad input put down to a line of the file.
template <class Use>
auto in_line(const Shape& shape, Use&& use) {
  try {
    return use();
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", shape.where, error.what()));
  }
}

std::vector<Shape> shapes_of(const Arguments& arguments, const Target& target) {
  if (arguments.has("shapes") && arguments.has("wanted"))
    throw InputError("--shapes and --wanted: one of the two names the problems");
  if (arguments.has("shapes")) return read_shapes(arguments.text("shapes").value());
  const std::unique_ptr<Store> store = open_for_reading(arguments);
  return store ? wanted_shapes(*store, target.operation()) : std::vector<Shape>{};
}

// Those whose problems differ, all of them checked.
std::vector<Shape> checked_shapes(const Arguments& arguments, const Target& target) {
  std::vector<Shape> distinct;
  std::vector<Problem> problems;
  for (Shape& shape : shapes_of(arguments, target)) {
    const Problem problem = in_line(shape, [&] {
      return check_problem(arguments, with_assignments(target, shape.assignments));
    });
    if (std::ranges::find(problems, problem) != problems.end()) continue;
    problems.push_back(problem);
    distinct.push_back(std::move(shape));
  }
  return distinct;
}

void print_answers(const Arguments& arguments, const Operation& operation,
                   const std::vector<SweepAnswer>& answers) {
  if (!arguments.has("json")) return print_shapes(std::cout, operation, answers);
  nlohmann::json json = {{"problems", nlohmann::json::array()}};
  for (const SweepAnswer& answer : answers) json["problems"].push_back(answer_json(answer));
  print_json(std::cout, json);
}

// The worst that became of a problem; an interruption ends all.
int run_shapes(const Arguments& arguments) {
  const Target target = read_target(arguments);
  const std::vector<Shape> shapes = checked_shapes(arguments, target);
  if (shapes.empty()) {
    std::cerr << fmt::format("no look-up of {} is waiting for a sweep\n", target.operation().name);
    return kNothing;
  }
  SweepRunner runner(arguments);
  std::vector<SweepAnswer> answers;
  int status = kDone;
  for (const Shape& shape : shapes) {
    std::cerr << fmt::format("[{}/{}] ", answers.size() + 1, shapes.size());
    SweepSetup setup = in_line(shape, [&] {
      return prepare_sweep(arguments, with_assignments(target, shape.assignments));
    });
    answers.push_back(runner.run(setup));
    status = std::max<int>(status, answers.back().status);
    if (status == kInterrupted) break;
  }
  print_answers(arguments, target.operation(), answers);
  return status;
}

int run(const Arguments& arguments) {
  const bool is_many = arguments.has("shapes") || arguments.has("wanted");
  return is_many ? run_shapes(arguments) : run_one(arguments);
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
      {"shapes", "FILE",
       "Many problems in one run: a line for each, DIM=VALUE… as on the command line, # begins a "
       "comment; what is given here holds for all. Limits are for each."},
      {"wanted", "",
       "The problems that look-ups of applications have asked for and not found, most asked first "
       "(docs/catalog.md)."},
      {"target", "TIME", "Stop searching at this time of a call: 250us, 1.5ms."},
      {"fresh", "", "Measure anew what is on record."},
      {"retry", "", "Try again what faulted or ran out of time; the rest is kept."},
      priors_option(),
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
          "  tilewright sweep conv1d length=16777216 taps=9 boundary=reflect --policy cold\n"
          "  tilewright sweep gemm --shapes shapes.txt\n",
          options(),
          run};
}

}  // namespace tilewright::tools
