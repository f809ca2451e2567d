#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iostream>

#include "db/ladder/ladder.hpp"
#include "db/records/answer_rows.hpp"
#include "definition/json/json.hpp"
#include "tilewright/error.hpp"
#include "tools/input/command.hpp"
#include "tools/input/lookup.hpp"
#include "tools/input/target.hpp"
#include "tools/print/report.hpp"
#include "tools/print/sweep_text.hpp"
#include "tools/print/terminal.hpp"
#include "tuner/backend/source.hpp"

namespace tilewright::tools {
namespace {

void print_defines(const LadderQuestion& wanted, const LadderAnswer& answer) {
  const Device device = wanted.device.value_or(Device{});
  const Scope scope = full_scope(wanted.problem, answer.configuration, device);
  const std::vector<std::string> options = macro_options(
      *answer.implementation, *wanted.operation, wanted.problem, answer.configuration, scope);
  std::cout << fmt::format("{}\n", fmt::join(options, " "));
}

// Prints the header that the kernel includes for this problem.
int print_hooks(const Operation& operation, const Problem& problem) {
  const Scope scope = scope_over({&problem.values});
  if (operation.hooks.empty())
    throw InputError(fmt::format("--format hook: operation '{}' has no hook", operation.name));
  for (const Hook& hook : operation.hooks) {
    if (!hook.snippet)
      throw InputError(fmt::format("--format hook: give a snippet, {}=NAME", hook.name));
    print_content(hook_header(hook, std::string(facts_of(type_of(hook.type, scope)).cuda)));
  }
  return kDone;
}

void print_answer_json(const LadderQuestion& wanted, const LadderAnswer& answer) {
  nlohmann::json json = {{"rung", static_cast<int>(answer.rung)},
                         {"rung_name", to_text(answer.rung)},
                         {"operation", wanted.operation->name},
                         {"problem", to_json(wanted.problem.values)},
                         {"implementation", answer.implementation->full_name()},
                         {"configuration", to_json(answer.configuration.values)}};
  if (!answer.reason.empty()) json["note"] = answer.reason;
  if (answer.rung >= Rung::near_problem && answer.row) json["distance"] = answer.distance;
  if (answer.portable)
    json["portable"] = {{"mean_loss", answer.portable->mean_ratio - 1},
                        {"measured", answer.portable->measured},
                        {"tuned", answer.portable->tuned},
                        {"device", device_summary(answer.portable->device)}};
  if (answer.row && answer.row->trial.timing) {
    const Rate rate = rate_of(*wanted.operation, *answer.row, answer.row->trial.timing->median_us);
    json["result"] = tools::json_of(*answer.row);
    json["result"]["stale"] = is_stale(*answer.row, present_environment(answer.row->device));
    json["gflops"] = rate.gflops;
    json["gigabytes_per_second"] = rate.gigabytes;
  }
  print_json(std::cout, json);
}

std::string slower(double other_us, double us, const std::string& missing) {
  if (other_us <= 0) return missing;
  return fmt::format("{}, {:.2f} times as long", time_text(other_us), other_us / us);
}

std::string software_text(const Environment& environment) {
  const std::string& driver = environment.driver;
  return (driver.empty() ? "" : "driver " + driver + ", ") + environment.compiler;
}

// "confirmed 2 hours ago, measured 3 days ago"
std::string age_of(const BestRow& row) {
  std::string measured = "measured " + age_text(row.finished);
  if (row.confirmed < row.finished) return measured;
  return fmt::format("confirmed {}, {}", age_text(row.confirmed), measured);
}

// "182 configurations, sweep 1f3a, imported". Unknown parts are left out.
std::string source_text(const BestRow& row) {
  std::vector<std::string> parts;
  if (row.measured > 0) parts.push_back(counted(row.measured, "configuration"));
  if (!row.sweep_uuid.empty()) parts.push_back("sweep " + row.sweep_uuid.substr(0, 8));
  if (row.imported) parts.emplace_back("imported");
  if (row.shipped) parts.emplace_back("elsewhere: shipped with tilewright, not in this database");
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string timing_text(const Operation& operation, const BestRow& row, const Timing& timing) {
  const std::string rate = rate_text(rate_of(operation, row, timing.median_us));
  return fmt::format("{} ({} to {}){}", time_text(timing.median_us), time_text(timing.lower_us),
                     time_text(timing.upper_us), rate.empty() ? "" : ", " + rate);
}

void print_row(const Operation& operation, const BestRow& row) {
  Table table({});
  if (row.trial.timing) {
    const Timing& timing = *row.trial.timing;
    const auto& warm = row.trial.warm_timing;
    table.add({warm ? "cold" : "time", timing_text(operation, row, timing)});
    if (warm) table.add({"warm", timing_text(operation, row, *warm)});
    table.add({"default", slower(row.default_median_us, timing.median_us, "not measured")});
    table.add({"runner-up", slower(row.runner_up_median_us, timing.median_us,
                                   row.shipped ? "not known" : "none") +
                                (row.tie ? "; a tie within the noise" : "")});
  }
  table.add({"device", row.device.name});
  table.add({"policy", tilewright::to_text(row.policy)});
  table.add({"age", age_of(row)});
  table.add({"measured", source_text(row)});
  table.add({"software", software_text(row.environment)});
  const Environment present = present_environment(row.device);
  if (is_stale(row, present))
    table.add({"stale", fmt::format("the software is now {}; `tilewright recheck` measures again",
                                    software_text(present))});
  table.print(std::cout, "  ");
}

void print_text(const LadderQuestion& wanted, const LadderAnswer& answer) {
  std::cout << fmt::format("{} for {}: {}\n  {}\n", answer.implementation->full_name(),
                           problem_text(*wanted.operation, wanted.problem), to_text(answer.rung),
                           tilewright::to_text(answer.configuration.values));
  if (answer.portable)
    std::cout << fmt::format(
        "  not measured for this problem: of those that fit, the one that loses least, {:.1f} % on "
        "average over {} on {}\n",
        100 * (answer.portable->mean_ratio - 1), counted(answer.portable->tuned, "tuned problem"),
        answer.portable->device.name);
  if (!answer.row) return;
  if (answer.row->problem != wanted.problem)
    std::cout << fmt::format("  measured for {}, distance {:.2f}\n",
                             problem_text(*wanted.operation, answer.row->problem), answer.distance);
  print_row(*wanted.operation, *answer.row);
}

std::string weaker_text(const LadderQuestion& wanted, const LadderAnswer& answer) {
  const Rung rung = answer.rung;
  if (rung == Rung::near_problem) return "the nearest problem measured";
  if (rung == Rung::near_device) return "measured on the nearest device";
  if (rung == Rung::portable) return "what does well in general";
  const double cycles = expected_cycles(wanted, *answer.implementation, answer.configuration);
  return cycles == ladder::no_cost ? "the manifest's default"
                                   : "what the manifest expects to be fastest";
}

Require required_by(const Arguments& arguments) {
  const std::string text = arguments.choice("require", {"any", "device", "exact"});
  return text == "exact" ? Require::exact : text == "device" ? Require::device : Require::any;
}

int run_best(const Arguments& arguments) {
  const std::string format = arguments.choice("format", {"text", "json", "defines", "hook"});
  const Require required = required_by(arguments);
  const Target target = read_target(arguments);
  LadderQuestion wanted{&target.operation(), target.implementations, {}, {}, {}};
  const Problem asked = make_problem(target.operation(), target.assignments, Device{});
  if (format == "hook") return print_hooks(target.operation(), asked);
  wanted.cache = cache_policy(arguments);
  wanted.require = required;
  const std::unique_ptr<Store> store = open_for_reading(arguments);
  StoredRows rows = stored_rows(arguments, store.get());
  wanted.device = wanted_device(arguments, target.operation().name, store.get(),
                                rows.shipped_results().rows_of(target.operation().name));
  wanted.problem =
      make_problem(target.operation(), target.assignments, wanted.device.value_or(Device{}));

  const auto [answer, why_not_read, why_not_shipped] = climb(wanted, rows);
  if (!why_not_shipped.empty()) std::cerr << "shipped results: " << why_not_shipped << '\n';
  if (!answer) throw InputError("no implementation's default fits this problem");
  if (!accepts(required, answer->rung)) {
    std::cerr << fmt::format(
        "nothing on record that --require {} accepts: {}\n",
        arguments.text("require").value_or("any"),
        answer->reason.empty() ? "only another policy's result" : answer->reason);
    return kNothing;
  }
  if (!answer->reason.empty() && format != "json")
    std::cerr << fmt::format("{}: {}\n", weaker_text(wanted, *answer), answer->reason);
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
            "cuda:N, host, or a part of a stored device's name; by default the GPU "
            "present, else host or the only stored one."},
           {"policy", "robust|cold|warm",
            "Prefer results of this policy; by default robust, on the host warm."},
           {"format", "text|json|defines|hook",
            "defines: -D options for a compiler; hook: the header that holds the problem's "
            "snippet; text by default."},
           {"require", "any|device|exact",
            "End with status 1 if the answer is weaker than this; any by default."},
           kDatabaseOption,
           kKernelsOption,
           kShippedOption},
          run_best};
}

}  // namespace tilewright::tools
