#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <utility>

#include "bench/trust/naive_timer.hpp"
#include "bench/trust/trust.hpp"
#include "db/exchange/exchange.hpp"
#include "definition/json/json.hpp"
#include "definition/text/text_file.hpp"
#include "tilewright/error.hpp"
#include "tools/print/text.hpp"

#include "tuner/sweep/prepare/inspector.hpp"
#include "tuner/sweep/prepare/session_plan.hpp"

namespace tilewright::bench {
namespace {

// One configuration of the export with its times, one for each repetition.
struct Entry {
  const Implementation* implementation = nullptr;
  Configuration configuration;
  KernelPlan kernel;
  std::string why_not;  // empty if it was timed
  std::vector<double> times_us;
};

// The configurations that the export's sweeps of this problem measured, in a fixed order.
std::vector<Entry> read_entries(const std::string& file, const SweepRequest& request) {
  if (file.empty()) throw InputError("--configurations FILE: give an export of the sweeps");
  std::map<std::string, Entry> entries;
  for (const Store::Imported& imported : import_json(read_text_file(file, kResultsFile), file)) {
    if (imported.sweep.key.problem != request.problem) continue;
    for (const Trial& trial : imported.trials)
      for (const Implementation* implementation : request.implementations)
        if (trial.outcome == Outcome::measured &&
            trial.implementation == implementation->full_name())
          entries.try_emplace(trial.implementation + ' ' + to_text(trial.configuration.values),
                              Entry{implementation, trial.configuration, {}, "", {}});
  }
  if (entries.empty())
    throw InputError(fmt::format("'{}' has no measured configuration of {}", file,
                                 to_text(request.problem.values)));
  std::vector<Entry> list;
  for (auto& [key, entry] : entries) list.push_back(std::move(entry));
  return list;
}

void compile_all(TrustCompiler& compiler, const SweepRequest& request,
                 std::vector<Entry>& entries) {
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Implementation& implementation = *entries[i].implementation;
    compiler.ahead().submit(i, compile_request(request, read_source(implementation),
                                               {&implementation, entries[i].configuration}));
  }
  const std::atomic<bool> never = false;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    Entry& entry = entries[i];
    const CompileResult code = compiler.ahead().wait_for(i, never).value();
    if (!code.ok()) {
      entry.why_not = code.log;
      continue;
    }
    entry.kernel =
        plan_kernel(request, *entry.implementation, entry.configuration, {request.problem}, code);
    LaunchPlan& launches = entry.kernel.launches.front();
    launches = with_preparation(std::move(launches));  // a naive timer knows calls only
  }
}

void time_once(NaiveTimer& timer, std::vector<Entry>& entries) {
  for (Entry& entry : entries) {
    if (!entry.why_not.empty()) continue;
    const Attempt<double> time = timer.mean_us(entry.kernel);
    if (time.ok()) {
      entry.times_us.push_back(time.value());
    } else if (time.failure().outcome == Outcome::faulted) {
      throw MachineError(time.failure().message);
    } else {
      entry.why_not = time.failure().message;
    }
  }
}

nlohmann::json json_of(const PreparedSweep& setup, const std::vector<Entry>& entries,
                       std::uint64_t repeats) {
  nlohmann::json list = nlohmann::json::array();
  for (const Entry& entry : entries) {
    nlohmann::json item = {{"implementation", entry.implementation->full_name()},
                           {"configuration", to_json(entry.configuration.values)},
                           {"times_us", entry.times_us}};
    if (!entry.why_not.empty()) item["why_not"] = entry.why_not;
    list.push_back(std::move(item));
  }
  return {{"problem", to_json(setup.request.problem.values)},
          {"device", tools::device_summary(setup.request.device)},
          {"environment", to_json(setup.environment)},
          {"launches", kNaiveLaunches},
          {"repeats", repeats},
          {"configurations", std::move(list)}};
}

std::unique_ptr<NaiveTimer> make_timer(const SweepRequest& request) {
  const SessionProblem problem = plan_session(request, {request.problem}, {}, {}).problems.front();
  if (request.device.kind == DeviceKind::host) return naive_host_timer(problem, request.seed);
#ifdef TILEWRIGHT_NAIVE_CUDA
  return naive_cuda_timer(problem, request.device_index, request.seed);
#else
  throw MachineError("this build has no CUDA backend; --device host needs none");
#endif
}

struct NaiveGiven : TrustGiven {
  std::string configurations;
  std::uint64_t repeats = 10;

  void declare(tools::Options& all) {
    all.text(configurations, {"configurations", "FILE",
                              "What `tilewright export --format json` wrote about the sweeps."});
    all.number(repeats, {"repeats", "N", "How often all of them are timed; 10 by default."});
    TrustGiven::declare(all);
  }
};

int run_naive(const NaiveGiven& given) {
  const PreparedSweep setup = setup_of(given);
  const std::uint64_t repeats = given.repeats;
  std::vector<Entry> entries = read_entries(given.configurations, setup.request);
  TrustCompiler compiler(given.measuring, setup.request.device);
  compile_all(compiler, setup.request, entries);
  const std::unique_ptr<NaiveTimer> timer = make_timer(setup.request);
  for (std::uint64_t i = 0; i < repeats; ++i) time_once(*timer, entries);
  const auto timed =
      std::ranges::count_if(entries, [](const Entry& entry) { return entry.why_not.empty(); });
  std::cout << fmt::format("{} of {} configurations timed {} times\n", timed, entries.size(),
                           repeats);
  write_json(given, json_of(setup, entries, repeats));
  return timed > 0 ? 0 : 1;
}

}  // namespace

tools::Command naive_part() {
  return tools::make_command(
      {"naive",
       {},
       "an export's configurations, timed as is often done: the mean of seven launches, the first "
       "included",
       "OPERATION[/IMPLEMENTATION] DIM=VALUE… --configurations FILE [options]",
       ""},
      run_naive);
}

}  // namespace tilewright::bench
