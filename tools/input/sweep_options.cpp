#include "tools/input/sweep_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "definition/metric.hpp"
#include "tools/input/lookup.hpp"
#include "tuner/search/strategy.hpp"

namespace tilewright::tools {
namespace {

// Empty: the time of a call.
std::string objective_name(const SearchGiven& given, const Operation& operation) {
  if (given.objective.empty() || given.objective == "time") return "";
  if (given.options.target_us > 0)
    throw InputError("--target is a time of one call, so it does not go with --objective");
  try {
    return metric_named(operation, given.objective).name;
  } catch (const InputError& error) {
    throw bad_input("--objective '{}': {}", given.objective, error.what());
  }
}

}  // namespace

void SearchGiven::declare_budget(Options& all, const std::string& about) {
  all.number_or_all(options.budget, 0, {.least = 1}, {"budget", "N|all", about});
}

void SearchGiven::declare_filters(Options& all) {
  all.value(
      options.floor.occupancy, option::fraction,
      {"occupancy-floor", "F", "Skip configurations with lower occupancy than this, 0 to 1."});
  all.value(options.floor.spill_bytes, option::bytes,
            {"max-spill", "BYTES", "Skip code that spills more bytes per thread than this."});
  declare_where(all);
  all.number(options.seed, kSeedOption);
}

void SearchGiven::declare_where(Options& all) {
  all.text(where,
           {"where", "EXPR",
            "Only configurations for which this is true: 'BLOCK_X >= 16'. Implementations that "
            "lack a name of the rule are left out."});
}

void SearchGiven::declare(Options& all) {
  all.note_in(as_written);
  all.choice(options.cache, kCachePolicies,
             {"policy", "robust|cold|warm",
              "Where timed calls find their operands: cold in memory, warm in the L2. By default "
              "robust: finalists are measured both ways, and the winner is the one that is never "
              "far from the best. The host is measured warm."});
  all.name(options.strategy, strategy_names(),
           {"strategy", "NAME",
            fmt::format("One of {}; by default exhaustive if the budget covers all configurations "
                        "(over 500 only without --time-limit and --target), else model.",
                        fmt::join(strategy_names(), ", "))});
  declare_budget(all,
                 "Number of configurations to try; one that has the same code as another is not "
                 "counted. By default all if there are at most 500. Else at most 500: the search "
                 "ends earlier if it has found nothing better for a long time.");
  all.value(
      options.time_limit_s, option::seconds,
      {"time-limit", "TIME",
       "Stop searching after this time: 60s, 1.5m, 1h. The final follows: interleaved rounds, "
       "of which none begins after another 5 s, or 8 s if the clock is held down."});
  all.value(
      options.target_us, option::microseconds,
      {"target", "TIME", "Stop searching when a call takes at most this time: 250us, 1.5ms."});
  all.text(objective,
           {"objective", "METRIC",
            "Search for the best value of this metric of the manifest, instead of the least time "
            "(docs/manifest-operation.md#operationmetric)."});
  all.choice(options.priors, {PriorUse::stored, PriorUse::none},
             {"priors", "stored|none",
              "stored (the default): the search starts with the best configurations of stored "
              "sweeps of similar problems, other policies and other devices, and of shipped "
              "results, and measures them again. none: it does not."});
  declare_filters(all);
  all.stop_noting();
}

void SweepGiven::declare_fresh(Options& all) {
  all.flag(start, Store::Start::fresh,
           {"fresh", "", "Measure everything again, even what is on record."});
}

void SweepGiven::declare_run(Options& all) {
  using Then = BusyRule::Then;
  all.choice(search.options.busy.then, {Then::again, Then::mark, Then::refuse},
             {"busy", "again|mark|refuse",
              "If a process of somebody else computes on the GPU during a trial: measure it again "
              "(the default), mark it, or give the GPU up."});
  measuring.places.declare(all, {kShipped});
  measuring.declare_no_wait(all);
  measuring.declare_jobs(all);
  measuring.places.declare(all, {kCache, kKernels, kLibraries});
  all.flag(is_strict,
           {"strict", "", "End with status 1 if any configuration gave a wrong answer."});
  all.flag(is_quiet, {"quiet", "", "Print the winner alone.", OptionSpec::Times::once, 'q'});
  measuring.declare_limits(all);
}

SearchOptions read_search(const SearchGiven& given, const Target& target) {
  given_values(target.operation(), target.assignments);  // bad input first
  SearchOptions options = given.options;
  options.where = read_where(given.where, target);
  options.objective = objective_name(given, target.operation());
  return options;
}

PreparedSweep prepare_sweep(const SearchGiven& given, Target target, const DeviceReport& device) {
  const SearchOptions options = read_search(given, target);
  const Problem problem = make_problem(target.operation(), target.assignments, device.device);
  return tilewright::prepare_sweep(std::move(target), problem, device, options, toolchain());
}

double work_of(const Operation& operation, const Problem& problem, const Device& device) {
  constexpr double kOperationsOfAByte = 20;
  const Scope scope = full_scope(problem, device);
  const auto number = [&](const Expression& formula) {
    try {
      return static_cast<double>(evaluate(formula, scope, "work"));
    } catch (const InputError&) {  // it uses parameters
      return 0.0;
    }
  };
  return number(operation.flops) + kOperationsOfAByte * number(operation.bytes);
}

double value_of(const Wanted& wanted, const Operation& operation) {
  return static_cast<double>(wanted.hits) *
         work_of(operation, wanted.subject.problem, wanted.subject.device);
}

}  // namespace tilewright::tools
