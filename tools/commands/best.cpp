#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iostream>

#include "db/ladder/ladder.hpp"
#include "db/ladder/present.hpp"
#include "db/records/staleness.hpp"
#include "definition/json/json.hpp"
#include "definition/metric.hpp"
#include "definition/text/text_file.hpp"
#include "tilewright/error.hpp"
#include "tilewright/version.hpp"
#include "tools/input/command.hpp"
#include "tools/input/lookup.hpp"
#include "tools/input/output.hpp"
#include "tools/input/target.hpp"
#include "tools/print/launch_text.hpp"
#include "tools/print/metrics.hpp"
#include "tools/print/names.hpp"
#include "tools/print/sweep_details.hpp"
#include "tools/print/table.hpp"
#include "tools/print/terminal.hpp"
#include "tools/print/text.hpp"
#include "tools/print/trials.hpp"
#include "tools/results/best_by_metric.hpp"
#include "tuner/plan/hook_header.hpp"
#include "tuner/plan/macros.hpp"

namespace tilewright::tools {
namespace {

void print_defines(const LadderQuestion& wanted, const LadderAnswer& answer) {
  const Device device = wanted.device.value_or(Device{});
  const Scope scope = full_scope(wanted.problem, answer.configuration, device);
  const auto options = macros_of_launches(*answer.implementation, *wanted.operation, wanted.problem,
                                          answer.configuration, scope);
  if (!options)
    throw InputError(fmt::format(
        "--format defines: the launches of {} are compiled with different macros; --format header "
        "has those of each launch, and show --unit NAME writes the source of one",
        answer.implementation->full_name()));
  if (wanted.implementations.size() > 1)
    std::cerr << fmt::format("macros of {}\n", answer.implementation->full_name());
  std::cout << fmt::format("{}\n", fmt::join(*options, " "));
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

// What an answer is shown with.
struct View {
  Detail detail = Detail::brief;
  bool is_frozen = false;   // nothing of this machine's present state
  std::string device = {};  // as --device names it
};

// Why the result is stale here, and what helps; empty if it is not.
std::string why_stale_here(const LadderAnswer& answer, const View& view) {
  const BestRow& row = *answer.row;
  const std::string why =
      view.is_frozen ? "" : why_stale(row, present_environment(row.device, view.device));
  if (!answer.has_other_source)
    return why.empty() ? "" : why + "; `tilewright recheck` measures again";
  return fmt::format("{}; {}", other_source_text(row.implementation),
                     why.empty() ? std::string(cure_of_other_source(row))
                                 : why + "; `tilewright recheck` measures again");
}

void print_answer_json(const LadderQuestion& wanted, const LadderAnswer& answer, const View& view) {
  nlohmann::json json = {{"rung", static_cast<int>(answer.rung)},
                         {"rung_name", to_text(answer.rung)},
                         {"operation", wanted.operation->name},
                         {"problem", to_json(wanted.problem.values)},
                         {"implementation", answer.implementation->full_name()},
                         {"configuration", to_json(answer.configuration.values)}};
  if (!answer.reason.empty()) json["note"] = answer.reason;
  if (wanted.power_limit_w) json["power_limit_w"] = *wanted.power_limit_w;
  if (answer.rung >= Rung::near_problem && answer.row) json["distance"] = answer.distance;
  if (answer.portable)
    json["portable"] = {{"mean_loss", answer.portable->mean_ratio - 1},
                        {"measured", answer.portable->measured},
                        {"tuned", answer.portable->tuned},
                        {"device", device_summary(answer.portable->device)}};
  if (answer.row && answer.row->trial.timing) {
    const Rate rate = rate_of(*wanted.operation, call_of(*answer.row));
    json["result"] = tools::json_of(*answer.row);
    const std::string why = why_stale_here(answer, view);
    if (!view.is_frozen || !why.empty()) json["result"]["stale"] = !why.empty();
    if (!why.empty()) json["result"]["why_stale"] = why;
    json["gflops"] = rate.gflops;
    json["gigabytes_per_second"] = rate.gigabytes;
    if (!wanted.operation->metrics.empty())
      json["metrics"] = metrics_json(*wanted.operation, call_of(*answer.row));
  }
  print_json(std::cout, json);
}

// "driver 580.159.04, NVRTC 13.0, limited to 400 W"
std::string environment_text(const Environment& environment) {
  const auto& limit_w = environment.power_limit_w;
  return software_text(environment) + (limit_w ? fmt::format(", limited to {} W", *limit_w) : "");
}

// "confirmed 2 hours ago, measured 3 days ago"
std::string age_of(const BestRow& row, const View& view) {
  if (view.is_frozen) return "measured " + date_text(row.finished);
  std::string measured = "measured " + age_text(row.finished);
  if (row.confirmed < row.finished) return measured;
  return fmt::format("confirmed {}, {}", age_text(row.confirmed), measured);
}

// "182 configurations, sweep 1f3a, imported". Unknown parts are left out.
std::string source_text(const BestRow& row) {
  std::vector<std::string> parts;
  if (row.measured > 0) parts.push_back(counted(row.measured, "configuration"));
  if (!row.sweep_uuid.empty()) parts.push_back("sweep " + row.sweep_uuid.substr(0, 8));
  if (row.shipped)
    parts.emplace_back("shipped with tilewright");
  else if (row.imported)
    parts.emplace_back("imported");
  return fmt::format("{}", fmt::join(parts, ", "));
}

// "50.3 µs cold, 50.2 µs warm  39.7 TFLOP/s, 242 GB/s"
std::string times_of(const Operation& operation, const BestRow& row) {
  if (!row.trial.timing) return "";
  const double us = row.trial.timing->median_us;
  std::string text = time_text(us);
  if (row.trial.warm_timing)
    text += fmt::format(" cold, {} warm", time_text(row.trial.warm_timing->median_us));
  const std::string rate = rate_text(rate_of(operation, call_of(row)));
  return rate.empty() ? text : text + "  " + rate;
}

std::string margin_text(const BestRow& row) {
  const double us = median_of(row.trial);
  const std::string default_text = faster_text(us, row.default_median_us);
  std::string next = faster_text(us, row.runner_up_median_us);
  if (!next.empty()) next = fmt::format("{}, {}", time_text(row.runner_up_median_us), next);
  return fmt::format("{}; default {}",
                     row.tie        ? "a tie with the runner-up"
                     : next.empty() ? (row.shipped ? "runner-up not known" : "no runner-up")
                                    : "runner-up " + next,
                     default_text.empty() ? "not measured" : default_text);
}

void add_row(Table& table, const LadderAnswer& answer, const View& view) {
  const BestRow& row = *answer.row;
  table.add({"margin", margin_text(row)});
  table.add({"age", fmt::format("{}; {}", age_of(row, view), source_text(row))});
  table.add({"valid for", environment_text(row.environment)});
  if (const std::string why = why_stale_here(answer, view); !why.empty()) table.add({"stale", why});
  if (view.detail == Detail::brief) return;
  table.add({"policy",
             fmt::format("{}, submitted by {}", policy_text(row.policy), row.policy.submission)});
  for (const auto& timing : {row.trial.timing, row.trial.warm_timing})
    if (timing) table.add({"quartiles", interval_text(timing->lower_us, timing->upper_us)});
}

Tile tile_of(const LadderQuestion& wanted, const LadderAnswer& answer) {
  const Device device = answer.row ? answer.row->device : Device{};
  return {wanted.operation, answer.implementation, wanted.problem, answer.configuration,
          wanted.device.value_or(device)};
}

void add_launches(Table& table, const Tile& tile) {
  try {
    const LaunchPlan plan = launches_of(tile);
    for (const std::string& text : launch_texts(plan)) table.add({"launch", text});
    if (plan.workspace_bytes > 0) table.add({"workspace", bytes_text(plan.workspace_bytes)});
  } catch (const InputError& error) {
    table.add({"launch", error.what()});
  }
}

std::string title_of(const LadderQuestion& wanted, const LadderAnswer& answer) {
  const Tile tile = tile_of(wanted, answer);
  return fmt::format(
      "{} | {}{}",
      named_problem(wanted.operation->name, problem_text(*wanted.operation, wanted.problem)),
      tile.device.name.empty() ? "" : tile.device.name + " | ", rung_text(answer));
}

void print_text(const LadderQuestion& wanted, const LadderAnswer& answer, const View& view) {
  const Operation& operation = *wanted.operation;
  std::string times = answer.row ? times_of(operation, *answer.row) : "";
  if (answer.row && answer.row->problem != wanted.problem)
    times = "not measured here; elsewhere " + times;
  std::cout << fmt::format("{}\n  {}{}{}\n", title_of(wanted, answer),
                           answer.implementation->full_name(), times.empty() ? "" : "  ", times);
  Table table({});
  table.add(
      {"config", configuration_text(*answer.implementation, answer.configuration, view.detail)});
  add_launches(table, tile_of(wanted, answer));
  if (answer.portable)
    table.add({"chosen", fmt::format("not measured for this problem: of those that fit, the one "
                                     "that is least behind, {} on average over {} on {}",
                                     faster_text(1, answer.portable->mean_ratio),
                                     counted(answer.portable->tuned, "tuned problem"),
                                     answer.portable->device.name)});
  if (answer.row && answer.row->problem != wanted.problem)
    table.add(
        {"elsewhere", fmt::format("{}, distance {:.2f}",
                                  problem_text(operation, answer.row->problem), answer.distance)});
  if (answer.row) {
    const std::string metrics = metrics_text(operation, call_of(*answer.row));
    if (!metrics.empty()) table.add({"metrics", metrics});
    add_row(table, answer, view);
  }
  table.print(std::cout, "  ");
}

void print_header(const Arguments& arguments, const LadderQuestion& wanted,
                  const LadderAnswer& answer) {
  const std::string header = tile_header(
      tile_of(wanted, answer),
      fmt::format("{} for {}. Written by tilewright {}: best --format header.",
                  answer.implementation->full_name(), title_of(wanted, answer), kVersion) +
          (answer.row ? " Measured " + date_text(answer.row->finished) + ", sweep " +
                            answer.row->sweep_uuid + '.' +
                            (answer.has_other_source ? " The source has changed since." : "")
                      : ""));
  if (const auto file = arguments.text("output"))
    write_file(*file, header);
  else
    print_content(header);
}

void print_as(const std::string& format, const Arguments& arguments, const LadderQuestion& wanted,
              const LadderAnswer& answer, const View& view) {
  if (format == "defines") {
    print_defines(wanted, answer);
  } else if (format == "header") {
    print_header(arguments, wanted, answer);
  } else if (format == "json") {
    print_answer_json(wanted, answer, view);
  } else {
    print_text(wanted, answer, view);
  }
}

std::string weaker_text(const LadderQuestion& wanted, const LadderAnswer& answer) {
  const Rung rung = answer.rung;
  if (rung == Rung::other_policy) return "the best so far";
  if (rung == Rung::exact) return "the best of those measured";
  if (rung == Rung::near_problem) return "the nearest problem measured";
  if (rung == Rung::near_device) return "measured on the nearest device";
  if (rung == Rung::portable) return "what does well in general";
  const double cycles = expected_cycles(wanted, *answer.implementation, answer.configuration);
  return cycles == ladder::no_cost ? "the manifest's default"
                                   : "what the manifest expects to be fastest";
}

// A default place of the database, and a device that is present, are of the machine.
void require_frozen(const Arguments& arguments) {
  if (!arguments.has("db")) throw InputError("--frozen needs --db FILE: the database to look in");
  if (!has_database(arguments)) throw MachineError(no_database_text(arguments));
  if (const auto device = arguments.text("device"); device && is_device_id(*device))
    throw InputError(
        fmt::format("--device '{}' with --frozen: give the name of a device with "
                    "results, or a part of it",
                    *device));
}

Require required_by(const Arguments& arguments) {
  const std::string text = arguments.choice("require", {"any", "device", "exact"});
  return text == "exact" ? Require::exact : text == "device" ? Require::device : Require::any;
}

int run_best(const Arguments& arguments) {
  const std::string format =
      arguments.choice("format", {"text", "json", "defines", "header", "hook"});
  if (arguments.has("output") && format != "header")
    throw InputError("--output is for a header; add --format header");
  const Require required = required_by(arguments);
  const Target target = read_target(arguments);
  check_output(arguments, files_of(target));
  LadderQuestion wanted{&target.operation(), target.implementations, {}, {}, {}};
  if (const auto name = arguments.text("objective")) metric_named(target.operation(), *name);
  const Problem asked = make_problem(target.operation(), target.assignments, Device{});
  if (format == "hook") return print_hooks(target.operation(), asked);
  wanted.cache = cache_policy(arguments);
  wanted.require = required;
  const PresentDefinitions present(*target.family);
  wanted.present = &present;
  const View view{detail_of(arguments), arguments.has("frozen"),
                  arguments.text("device").value_or("")};
  if (view.is_frozen) require_frozen(arguments);
  const std::unique_ptr<Store> store = open_for_reading(arguments);
  StoredRows rows = stored_rows(arguments, store.get());
  check_shipped(arguments, rows.shipped_results());
  wanted.device =
      wanted_device(arguments, target.operation().name, store.get(), &rows.shipped_results());
  wanted.problem =
      make_problem(target.operation(), target.assignments, wanted.device.value_or(Device{}));
  if (wanted.device && !view.is_frozen)
    wanted.power_limit_w = present_power_limit(*wanted.device, view.device);

  const auto objective = arguments.text("objective");
  const LadderResult result =
      objective ? LadderResult{store ? best_by_metric(*objective, wanted, *store) : std::nullopt,
                               {},
                               {},
                               {}}
                : climb(wanted, rows);
  const auto& answer = result.answer;
  if (objective && !answer) {
    std::cerr << fmt::format("no finished sweep of this problem has a value of {}\n", *objective);
    return kNothing;
  }
  if (!result.why_not_shipped.empty())
    std::cerr << "shipped results: " << result.why_not_shipped << '\n';
  if (!answer) refuse_none(result);
  if (!accepts(required, answer->rung)) {
    std::cerr << fmt::format(
        "nothing on record that --require {} accepts: {}\n",
        arguments.text("require").value_or("any"),
        answer->reason.empty() ? "only another policy's result" : answer->reason);
    return kNothing;
  }
  if (!answer->reason.empty() && format != "json")
    std::cerr << fmt::format("{}: {}\n", weaker_text(wanted, *answer), answer->reason);
  const bool is_code = format == "defines" || format == "header";
  if (is_code && answer->rung == Rung::manifest_default && !arguments.has("require")) {
    std::cerr << "no result fits this problem; --require any writes the default, which nobody "
                 "has measured\n";
    return kNothing;
  }
  if (is_code && answer->has_other_source) std::cerr << why_stale_here(*answer, view) << '\n';
  print_as(format, arguments, wanted, *answer, view);
  return kDone;
}

}  // namespace

Command best_command() {
  return {
      "best",
      "Look up the best known configuration; measures nothing.",
      "OPERATION[/IMPLEMENTATION]|FILE.toml DIM=VALUE… [options]",
      "  tilewright best gemm M=1024 N=1024 K=1024\n"
      "  nvcc $(tilewright best gemm/tiled M=N=K=1024 --format defines) -c mine.cu\n"
      "  tilewright best gemm M=N=K=1024 --format header --output tile.h\n",
      {{"device", "DEVICE",
        "cuda:N, host, or a part of a stored device's name; by default the GPU "
        "present, else host or the only stored one."},
       {"policy", "robust|cold|warm",
        "Prefer results of this policy; by default robust, on the host warm."},
       {"format", "text|json|defines|header|hook",
        "defines: -D options for a compiler; header: constants for C++, with the launches, which "
        "may go to --output; "
        "hook: the header that holds the problem's snippet; text by default."},
       {"objective", "METRIC",
        "The best by this metric of the manifest among the trials of one stored sweep of "
        "exactly this problem: the newest that searched for it, else the newest."},
       {"frozen", "",
        "Give the same answer on every machine: look in --db and shipped results alone, for the "
        "only device with results or the one that --device names."},
       kOutputOption,
       {"require", "any|device|exact",
        "End with status 1 if the answer is weaker than this; any by default, for defines and "
        "header anything that was measured."},
       kDatabaseOption,
       kKernelsOption,
       kVerboseOption,
       kShippedOption},
      run_best};
}

}  // namespace tilewright::tools
