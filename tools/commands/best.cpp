#include <fmt/ranges.h>

#include "db/records/staleness.hpp"
#include "definition/json/json.hpp"
#include "definition/metric.hpp"
#include "tilewright/version.hpp"
#include "tools/input/command.hpp"
#include "tools/input/lookup.hpp"
#include "tools/input/sweep_options.hpp"
#include "tools/print/launch_text.hpp"
#include "tools/print/names.hpp"
#include "tools/print/sweep.hpp"
#include "tools/print/terminal.hpp"
#include "tuner/plan/compile_request.hpp"
#include "tuner/plan/hook_header.hpp"

namespace tilewright::tools {
namespace {

void print_defines(const LadderQuestion& wanted, const LadderAnswer& answer) {
  const Device device = wanted.device.value_or(Device{});
  const Scope scope = full_scope(wanted.problem, answer.configuration, device);
  const auto options = macros_of_launches(*answer.implementation, *wanted.operation, wanted.problem,
                                          answer.configuration, scope);
  if (!options)
    throw bad_input(
        "--format defines: the launches of {} are compiled with different macros; --format header "
        "has those of each launch, and show --unit NAME writes the source of one",
        answer.implementation->full_name());
  if (wanted.implementations.size() > 1)
    std::cerr << fmt::format("macros of {}\n", answer.implementation->full_name());
  std::cout << fmt::format("{}\n", fmt::join(*options, " "));
}

// Prints the header that the kernel includes for this problem.
int print_hooks(const Operation& operation, const Problem& problem) {
  const Scope scope = scope_over({&problem.values});
  if (operation.hooks.empty())
    throw bad_input("--format hook: operation '{}' has no hook", operation.name);
  for (const Hook& hook : operation.hooks) {
    if (!hook.snippet) throw bad_input("--format hook: give a snippet, {}=NAME", hook.name);
    print_content(hook_header(hook, std::string(facts_of(type_of(hook.type, scope)).cuda)));
  }
  return kDone;
}

struct BestGiven : GivenWords {
  enum class Format { text, json, defines, header, hook };
  DeviceWish device;  // if it is frozen: nothing of this machine's present state
  std::optional<CachePolicy> cache;
  Format format = Format::text;
  std::string objective;
  std::string output;
  std::optional<Require> require;
  Places places;
  Detail detail = Detail::brief;

  void declare(Options& all) {
    all.text(device.name, kStoredDeviceOption);
    all.choice(cache, kCachePolicies,
               {"policy", "robust|cold|warm",
                "Prefer results of this policy; by default robust, on the host warm."});
    all.choice(format, {Format::text, Format::json, Format::defines, Format::header, Format::hook},
               {"format", "text|json|defines|header|hook",
                "defines: -D options for a compiler; header: constants for C++, with the launches, "
                "which may go to --output; hook: the header that holds the problem's snippet; text "
                "by default."});
    all.text(objective,
             {"objective", "METRIC",
              "The best by this metric of the manifest among the trials of one stored sweep of "
              "exactly this problem: the newest that searched for it, else the newest."});
    all.flag(device.is_frozen,
             {"frozen", "",
              "Give the same answer on every machine: look in --db and shipped results alone, for "
              "the only device with results or the one that --device names."});
    all.text(output, kOutputOption);
    all.choice(require, {Require::any, Require::device, Require::exact},
               {"require", "any|device|exact",
                "End with status 1 if the answer is weaker than this; any by default, for defines "
                "and header anything that was measured."});
    places.declare(all, {kDatabase, kKernels, kLibraries});
    all.flag(detail, Detail::full, kVerboseOption);
    places.declare(all, {kShipped});
  }
  bool is_code() const { return format == Format::defines || format == Format::header; }
};

// Why the result is stale here, and what helps; empty if it is not.
std::string why_stale_here(const LadderAnswer& answer, const BestGiven& given) {
  const BestRow& row = *answer.row;
  std::string why = given.device.is_frozen
                        ? ""
                        : why_stale(row, present_environment(row.device, given.device.name));
  if (!why.empty()) why += "; `tilewright recheck` measures again";
  if (!answer.has_other_source) return why;
  const Implementation& implementation = *answer.implementation;
  return fmt::format("{}; {}", other_source_text(implementation, row),
                     why.empty() ? std::string(cure_of_other_source(implementation, row)) : why);
}

void print_answer_json(const LadderQuestion& wanted, const LadderAnswer& answer,
                       const std::optional<LadderAnswer>& own, const BestGiven& given) {
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
    const std::string why = why_stale_here(answer, given);
    if (!given.device.is_frozen || !why.empty()) json["result"]["stale"] = !why.empty();
    if (!why.empty()) json["result"]["why_stale"] = why;
    if (answer.implementation->is_routine()) json["result"]["library"] = answer.row->source_hash;
    json["gflops"] = rate.gflops;
    json["gigabytes_per_second"] = rate.gigabytes;
    if (!wanted.operation->metrics.empty())
      json["metrics"] = metrics_json(*wanted.operation, call_of(*answer.row));
  }
  if (own) {
    json["own"] = {{"implementation", own->implementation->full_name()},
                   {"configuration", to_json(own->configuration.values)}};
    if (own->row) json["own"]["result"] = tools::json_of(*own->row);
  }
  print_json(std::cout, json);
}

// "driver 580.159.04, NVRTC 13.0, limited to 400 W"
std::string environment_text(const Environment& environment) {
  const auto& limit_w = environment.power_limit_w;
  return software_text(environment) + (limit_w ? fmt::format(", limited to {} W", *limit_w) : "");
}

// "confirmed 2 hours ago, measured 3 days ago"
std::string age_of(const BestRow& row, const BestGiven& given) {
  if (given.device.is_frozen) return "measured " + date_text(row.finished);
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

// Does not say of the default that it is as fast as itself.
std::string margin_text(const BestRow& row) {
  const double us = median_of(row.trial);
  const std::string default_text = faster_text(us, row.default_median_us);
  std::string next = faster_text(us, row.runner_up_median_us);
  if (!next.empty()) next = fmt::format("{}, {}", time_text(row.runner_up_median_us), next);
  std::string text = row.tie        ? "a tie with the runner-up"
                     : next.empty() ? (row.shipped ? "runner-up not known" : "no runner-up")
                                    : "runner-up " + next;
  if (row.configuration == row.default_configuration) return text;
  return fmt::format("{}; default {}", text, default_text.empty() ? "not measured" : default_text);
}

void add_row(Table& table, const LadderAnswer& answer, const BestGiven& given) {
  const BestRow& row = *answer.row;
  if (answer.implementation->is_routine()) table.add({"library", row.source_hash});
  table.add({"margin", margin_text(row)});
  table.add({"age", fmt::format("{}; {}", age_of(row, given), source_text(row))});
  const std::string valid_for = environment_text(row.environment);
  constexpr std::size_t kLong = 60;  // the options of the host's compiler, for example
  if (!valid_for.empty() && (given.detail == Detail::full || width_of(valid_for) <= kLong))
    table.add({"valid for", valid_for});
  if (const std::string why = why_stale_here(answer, given); !why.empty())
    table.add({"stale", why});
  if (given.detail == Detail::brief) return;
  const bool is_own = row.policy.submission == kTimedByAuthor;
  table.add({"policy",
             policy_text(row.policy) + (is_own ? "" : ", submitted by " + row.policy.submission)});
  for (const auto& timing : {row.trial.timing, row.trial.warm_timing})
    if (timing) table.add({"quartiles", interval_text(timing->lower_us, timing->upper_us)});
}

// "gemm/blocked 55 µs, 1.10x slower"
std::string own_text(const LadderQuestion& wanted, const LadderAnswer& answer,
                     const LadderAnswer& own) {
  const std::string name = own.implementation->full_name();
  if (const auto cost = relative_cost(wanted, *answer.implementation); cost && !answer.row)
    return fmt::format("{}, expected to be {}", name, faster_text(*cost, 1));
  if (!answer.row || !own.row || own.rung > Rung::other_policy)
    return name + ", not measured for this problem";
  const double us = median_of(own.row->trial);
  return fmt::format("{} {}, {}", name, time_text(us),
                     faster_text(median_of(answer.row->trial), us));
}

Tile tile_of(const LadderQuestion& wanted, const LadderAnswer& answer) {
  const Device device = answer.row ? answer.row->device : Device{};
  return {wanted.operation, answer.implementation, wanted.problem, answer.configuration,
          wanted.device.value_or(device)};
}

void add_launches(Table& table, const Tile& tile) {
  if (tile.implementation->is_evaluator()) return;
  try {
    const LaunchPlan plan = launches_of(tile);
    for (const std::string& text : launch_texts(plan)) table.add({"launch", text});
    if (plan.workspace_bytes > 0) table.add({"workspace", bytes_text(plan.workspace_bytes)});
    if (plan.prepared_bytes > 0) table.add({"prepared", bytes_text(plan.prepared_bytes)});
  } catch (const InputError& error) {
    table.add({"launch", error.what()});
  }
}

std::string title_of(const LadderQuestion& wanted, const LadderAnswer& answer) {
  const Tile tile = tile_of(wanted, answer);
  return fmt::format("{} | {}{}", named_problem(*wanted.operation, wanted.problem),
                     tile.device.name.empty() ? "" : tile.device.name + " | ", rung_text(answer));
}

void print_text(const LadderQuestion& wanted, const LadderAnswer& answer,
                const std::optional<LadderAnswer>& own, const BestGiven& given) {
  const Operation& operation = *wanted.operation;
  std::string times = answer.row ? times_of(operation, *answer.row) : "";
  if (answer.row && answer.row->problem != wanted.problem)
    times = "not measured here; elsewhere " + times;
  std::cout << fmt::format("{}\n  {}{}{}\n", title_of(wanted, answer),
                           answer.implementation->full_name(), times.empty() ? "" : "  ", times);
  Table table({});
  table.add(
      {"config", configuration_text(*answer.implementation, answer.configuration, given.detail)});
  if (own) table.add({"kernel", own_text(wanted, answer, *own)});
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
    add_row(table, answer, given);
  }
  table.print(std::cout, "  ");
}

std::string header_of(const LadderQuestion& wanted, const LadderAnswer& answer) {
  return tile_header(
      tile_of(wanted, answer),
      fmt::format("{} for {}. Written by tilewright {}: best --format header.",
                  answer.implementation->full_name(), title_of(wanted, answer), kVersion) +
          (answer.row ? " Measured " + date_text(answer.row->finished) + ", sweep " +
                            answer.row->sweep_uuid + '.' +
                            (answer.has_other_source ? " The source has changed since." : "")
                      : ""));
}

void print_answer(const LadderQuestion& wanted, const LadderAnswer& answer,
                  const std::optional<LadderAnswer>& own, const BestGiven& given) {
  if (given.format == BestGiven::Format::defines)
    print_defines(wanted, answer);
  else if (given.format == BestGiven::Format::header)
    write_output(given.output, header_of(wanted, answer));
  else if (given.format == BestGiven::Format::json)
    print_answer_json(wanted, answer, own, given);
  else
    print_text(wanted, answer, own, given);
}

std::string weaker_text(const LadderQuestion& wanted, const LadderAnswer& answer) {
  const Rung rung = answer.rung;
  if (rung == Rung::other_policy) return "the best so far";
  if (rung == Rung::exact) return "the best of those measured";
  if (rung == Rung::near_problem) return "the nearest problem measured";
  if (rung == Rung::near_device) return "measured on the nearest device";
  if (rung == Rung::portable) return "what does well in general";
  const bool is_expected =
      answer.implementation->is_routine() ||
      expected_cycles(wanted, *answer.implementation, answer.configuration) != no_cost;
  return is_expected ? "what the manifest expects to be fastest" : "the manifest's default";
}

// A default place of the database, and a device that is present, are of the machine.
void require_frozen(const BestGiven& given) {
  if (given.places.database.empty())
    throw InputError("--frozen needs --db FILE: the database to look in");
  if (!has_database(given.places)) throw MachineError(no_database_text(given.places));
  if (is_device_id(given.device.name))
    throw bad_input(
        "--device '{}' with --frozen: give the name of a device with results, or a part of it",
        given.device.name);
}

LadderResult look_up(const LadderQuestion& wanted, const BestGiven& given, TargetAnswers& answers) {
  if (given.objective.empty()) return answers.climb(wanted);
  LadderResult result;
  result.answer = answers.best_by_metric(given.objective, wanted);
  return result;
}

// Prints it unless it is weaker than what is required.
int show_answer(const LadderQuestion& wanted, const LadderAnswer& answer,
                const std::optional<LadderAnswer>& own, const BestGiven& given) {
  if (!accepts(wanted.require, answer.rung))
    return tell_nothing(
        fmt::format("nothing on record that --require {} accepts: {}",
                    wanted.require == Require::exact ? "exact" : "device",
                    answer.reason.empty() ? "only another policy's result" : answer.reason));
  if (!answer.reason.empty() && given.format != BestGiven::Format::json)
    std::cerr << fmt::format("{}: {}\n", weaker_text(wanted, answer), answer.reason);
  if (given.is_code() && answer.rung == Rung::manifest_default && !given.require)
    return tell_nothing(
        "no result fits this problem; --require any writes the default, which nobody has measured");
  if (given.is_code() && answer.has_other_source)
    std::cerr << why_stale_here(answer, given) << '\n';
  print_answer(wanted, answer, own, given);
  return kDone;
}

int run_best(const BestGiven& given) {
  const Target target = read_target(given.words, given.places);
  if (!given.output.empty() && given.format != BestGiven::Format::header)
    throw InputError("--output is for a header; add --format header");
  const Operation& operation = target.operation();
  check_output(given.output, given.places, files_of(target));
  if (!given.objective.empty()) metric_named(operation, given.objective);
  given_values(operation, target.assignments);  // bad input first
  if (given.format == BestGiven::Format::hook)
    return print_hooks(operation, make_problem(operation, target.assignments, Device{}));
  if (given.device.is_frozen) require_frozen(given);
  TargetAnswers answers(target, given.places);
  const Device device = answers.device(given.device);
  LadderQuestion wanted = answers.question(device);
  wanted.cache = given.cache;
  wanted.require = given.require.value_or(Require::any);
  if (!given.device.is_frozen)
    wanted.power_limit_w = present_power_limit(device, given.device.name);

  const LadderResult result = look_up(wanted, given, answers);
  if (!given.objective.empty() && !result.answer)
    return tell_nothing("no finished sweep of this problem has a value of " + given.objective);
  if (!result.why_not_shipped.empty())
    std::cerr << "shipped results: " << result.why_not_shipped << '\n';
  if (!result.answer) refuse_none(result);
  const LadderAnswer& answer = *result.answer;
  if (!answer.implementation->is_routine()) return show_answer(wanted, answer, {}, given);
  std::erase_if(wanted.implementations, [](const auto* one) { return one->is_routine(); });
  const std::optional<LadderAnswer> own = look_up(wanted, given, answers).answer;
  if (!given.is_code()) return show_answer(wanted, answer, own, given);
  if (!own) return tell_nothing("only a foreign library's routine answers, which has no macros");
  std::cerr << fmt::format("{} is the fastest; this is the fastest own kernel, {}\n",
                           answer.implementation->full_name(), own_text(wanted, answer, *own));
  return show_answer(wanted, *own, {}, given);
}

}  // namespace

Command best_command() {
  return make_command(
      {"best", Purpose::ask,
       "Look up the fastest known configuration of a problem, as text, -D options or a header.",
       "OPERATION[/IMPLEMENTATION]|FILE.toml DIM=VALUE… [options]",
       "  tilewright best gemm M=1024 N=1024 K=1024\n"
       "  nvcc $(tilewright best gemm/tiled M=N=K=1024 --format defines) -c mine.cu\n"
       "  tilewright best gemm M=N=K=1024 --format header --output tile.h\n"},
      run_best);
}

}  // namespace tilewright::tools
