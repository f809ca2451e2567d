#include <fmt/format.h>

#include <atomic>
#include <iostream>

#include "bench/trust/trust.hpp"
#include "definition/json/json.hpp"
#include "tilewright/error.hpp"
#include "tilewright/statistics.hpp"
#include "tools/print/terminal.hpp"
#include "tools/print/text.hpp"

namespace tilewright::bench {
namespace {

// One way to run a sweep, with the results of its runs.
struct Variant {
  const char* name;
  std::unique_ptr<Evaluator> (*session)(const Device&);
  enum class Race { on, off } race;
  std::vector<SweepSummary> runs = {};

  double middle(double (*value)(const SweepSummary&)) const {
    std::vector<double> values;
    for (const SweepSummary& run : runs) values.push_back(value(run));
    return median(values);
  }
};

double rate_of(const SweepSummary& run) {
  return static_cast<double>(run.tried) / run.clock.total_s;
}
double total_of(const SweepSummary& run) {
  return run.clock.total_s;
}
double device_of(const SweepSummary& run) {
  return run.clock.device_s;
}
double seconds_at(const std::map<Activity, double>& seconds, Activity activity) {
  const auto at = seconds.find(activity);
  return at == seconds.end() ? 0 : at->second;
}
double open_of(const SweepSummary& run) {
  return seconds_at(run.clock.busy_s, Activity::opening);
}
double waiting_of(const SweepSummary& run) {
  return seconds_at(run.clock.lost_s, Activity::compiling);
}
double final_of(const SweepSummary& run) {
  return run.final.seconds;
}

SweepSummary sweep(SweepRequest request, TrustCompiler& compiler, const Variant& variant) {
  if (variant.race == Variant::Race::off) request.race.clear();
  const auto session = variant.session(request.device);
  SweepObserver nobody;
  const std::atomic<bool> stop = false;
  return run_sweep(request, build_spaces(request), compiler.pool(),
                   {{"", request.device_index, session.get(), request.monitor}}, nobody, stop);
}

void print(const std::vector<Variant>& variants) {
  tools::Table table({"sweep", "a second", "total", "device", "of it final", "open", "compilers"},
                     {1, 2, 3, 4, 5, 6});
  const auto seconds = [](double value) { return fmt::format("{:.2f} s", value); };
  for (const Variant& item : variants)
    table.add({item.name, fmt::format("{:.1f}", item.middle(rate_of)),
               seconds(item.middle(total_of)), seconds(item.middle(device_of)),
               seconds(item.middle(final_of)), seconds(item.middle(open_of)),
               seconds(item.middle(waiting_of))});
  table.print(std::cout);
}

nlohmann::json json_of(const PreparedSweep& setup, const std::vector<Variant>& variants) {
  nlohmann::json json = {{"problem", to_json(setup.request.problem.values)},
                         {"device", tools::device_summary(setup.request.device)},
                         {"environment", to_json(setup.environment)},
                         {"budget", setup.request.budget}};
  for (const Variant& variant : variants)
    for (const SweepSummary& run : variant.runs)
      json["runs"].push_back({{"sweep", variant.name},
                              {"tried", run.tried},
                              {"total_s", run.clock.total_s},
                              {"device_s", run.clock.device_s},
                              {"final_s", run.final.seconds},
                              {"open_s", open_of(run)},
                              {"waiting_for_compilers_s", waiting_of(run)}});
  return json;
}

struct IsolationGiven : TrustGiven {
  std::uint64_t repeats = 3;

  void declare(tools::Options& all) {
    search.declare_budget(all, "Configurations to try, as a sweep takes it.");
    all.choice(search.options.cache, tools::kCachePolicies,
               {"policy", "robust|cold|warm", "As a sweep takes it."});
    all.number(repeats, {.least = 1},
               {"repeats", "N", "Runs of each kind, in turn; 3 by default."});
    TrustGiven::declare(all);
  }
};

// A first sweep, which does not count, fills the compile cache. So the others compile nothing.
int run_isolation(const IsolationGiven& given) {
  const PreparedSweep setup = setup_of(given);
  TrustCompiler compiler(given.measuring, setup.request.device);
  using Race = Variant::Race;
  std::vector<Variant> variants;
  variants.push_back({"worker process", worker_session, Race::on});
  variants.push_back({"worker process, nothing abandoned", worker_session, Race::off});
  variants.push_back({"in this process", local_session, Race::on});
  variants.push_back({"in this process, nothing abandoned", local_session, Race::off});
  sweep(setup.request, compiler, variants.front());
  for (std::uint64_t i = 0; i < given.repeats; ++i)
    for (Variant& variant : variants)
      variant.runs.push_back(sweep(setup.request, compiler, variant));
  print(variants);
  write_json(given, json_of(setup, variants));
  return 0;
}

}  // namespace

tools::Command isolation_part() {
  return tools::make_command(
      {"isolation",
       {},
       "one sweep with and without a worker process, with and without early abandoning",
       "OPERATION[/IMPLEMENTATION] DIM=VALUE… [options]",
       ""},
      run_isolation);
}

}  // namespace tilewright::bench
