// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "tilewright/error.hpp"
#include "tools/command.hpp"
#include "tools/lookup.hpp"
#include "tools/open_store.hpp"
#include "tools/report.hpp"
#include "tools/sweep_report.hpp"
#include "tuner/backend/source.hpp"

namespace tilewright::tools {
namespace {

void print_defines(const Wanted& wanted, const Answer& answer) {
  const Device device = wanted.device.value_or(Device{});
  const Scope scope = full_scope(wanted.problem, answer.configuration, device);
  const std::vector<std::string> options =
      macro_options(*answer.implementation, wanted.target.operation(), wanted.problem,
                    answer.configuration, scope);
  std::cout << fmt::format("{}\n", fmt::join(options, " "));
}

void print_answer_json(const Wanted& wanted, const Answer& answer) {
  nlohmann::json json = {{"rung", static_cast<int>(answer.rung)},
                         {"rung_name", to_text(answer.rung)},
                         {"operation", wanted.target.operation().name},
                         {"problem", json_of(wanted.problem.values)},
                         {"implementation", answer.implementation->full_name()},
                         {"configuration", json_of(answer.configuration.values)}};
  if (!answer.note.empty()) json["note"] = answer.note;
  if (answer.row && answer.row->trial.timing) {
    const Rate rate = rate_of(wanted.target.operation(), wanted.problem, answer.row->device,
                              answer.row->trial.timing->median_us);
    json["result"] = json_of(*answer.row);
    json["gflops"] = rate.gflops;
    json["gigabytes_per_second"] = rate.gigabytes;
  }
  print_json(std::cout, json);
}

std::string slower(double other_us, double us, const std::string& missing) {
  if (other_us <= 0) return missing;
  return fmt::format("{}, {:.2f} times as long", time_text(other_us), other_us / us);
}

void print_row(const Operation& operation, const BestRow& row) {
  Table table({});
  if (row.trial.timing) {
    const Timing& timing = *row.trial.timing;
    const std::string rate =
        rate_text(rate_of(operation, row.problem, row.device, timing.median_us));
    table.add({"time", fmt::format("{} ({} to {}){}", time_text(timing.median_us),
                                   time_text(timing.lower_us), time_text(timing.upper_us),
                                   rate.empty() ? "" : ", " + rate)});
    table.add({"default", slower(row.default_median_us, timing.median_us, "not measured")});
    table.add({"runner-up", slower(row.runner_up_median_us, timing.median_us, "none") +
                                (row.tie ? "; a tie within the noise" : "")});
  }
  table.add({"device", row.device.name});
  table.add({"policy", tilewright::to_text(row.policy)});
  table.add(
      {"measured", fmt::format("{}, {}, sweep {}{}", age_text(row.finished),
                               counted(static_cast<std::int64_t>(row.measured), "configuration",
                                       "configurations"),
                               row.sweep_uuid.substr(0, 8), row.imported ? ", imported" : "")});
  table.add(
      {"software", fmt::format("driver {}, {}", row.environment.driver, row.environment.compiler)});
  table.print(std::cout, "  ");
}

void print_text(const Wanted& wanted, const Answer& answer) {
  std::cout << fmt::format("{} for {}: {}\n  {}\n", answer.implementation->full_name(),
                           problem_text(wanted.target.operation(), wanted.problem),
                           to_text(answer.rung), tilewright::to_text(answer.configuration.values));
  if (answer.row) print_row(wanted.target.operation(), *answer.row);
}

// Weaker answers than the caller accepts.
bool is_too_weak(const std::string& required, Rung rung) {
  if (required == "exact") return rung != Rung::exact;
  if (required == "device") return rung == Rung::fallback;
  return false;
}

int run(const Arguments& arguments) {
  const std::string format = arguments.choice("format", {"text", "json", "defines"});
  const std::string required = arguments.choice("require", {"any", "device", "exact"});
  Wanted wanted;
  wanted.target = read_target(arguments);
  const Operation& operation = wanted.target.operation();
  make_problem(operation, wanted.target.assignments, Device{});
  if (arguments.has("policy"))
    wanted.policy = arguments.choice("policy", {"warm", "cold"}) == "warm" ? CachePolicy::warm
                                                                           : CachePolicy::cold;
  const std::unique_ptr<Store> store = open_for_reading(arguments);
  wanted.device = wanted_device(arguments, operation.name, store.get());
  wanted.problem =
      make_problem(operation, wanted.target.assignments, wanted.device.value_or(Device{}));

  std::optional<Answer> answer = look_up(wanted, store.get());
  if (!answer) throw InputError("no implementation's default fits this problem");
  if (!store) answer->note = no_database_text(arguments);
  if (is_too_weak(required, answer->rung)) {
    std::cerr << fmt::format("nothing on record that --require {} accepts: {}\n", required,
                             answer->note.empty() ? "only another policy's result" : answer->note);
    return kNothing;
  }
  if (!answer->note.empty() && format != "json")
    std::cerr << fmt::format("the manifest's default: {}\n", answer->note);
  if (format == "defines") {
    print_defines(wanted, *answer);
  } else if (format == "json") {
    print_answer_json(wanted, *answer);
  } else {
    print_text(wanted, *answer);
  }
  return kDone;
}

}  // namespace

Command best_command() {
  return {"best",
          "Look up the best known configuration; measures nothing.",
          "OPERATION[/IMPLEMENTATION]|FILE.toml DIM=VALUE… [options]",
          "  tilewright best gemm M=1024 N=1024 K=1024\n"
          "  nvcc $(tilewright best gemm/tiled M=N=K=1024 --format defines) -c mine.cu\n",
          {{"device", "DEVICE",
            "cuda:N, or a part of a stored device's name; by default the one "
            "present, else the only stored one."},
           {"policy", "warm|cold", "Prefer results of this policy."},
           {"format", "text|json|defines", "defines: -D options for a compiler; text by default."},
           {"require", "any|device|exact", "Weaker answers are status 1; any by default."},
           database_option(),
           kernels_option()},
          run};
}

}  // namespace tilewright::tools
