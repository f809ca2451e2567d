#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "campaign/caller_data.hpp"
#include "campaign/campaign.hpp"
#include "definition/library/hook.hpp"
#include "definition/problem.hpp"
#include "definition/text/suggest.hpp"
#include "tilewright/tune.hpp"
#include "tuner/host/compile/command.hpp"
#include "tuner/machine/machine.hpp"
#include "tuner/search/strategy.hpp"
#include "tuner/sweep/session_plan.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

constexpr int kMostCompileProcesses = 1024;

const std::atomic<bool> kNeverStop = false;

void check_request(const TuneRequest& request) {
  if (request.operation.empty())
    throw InputError("operation: name one, OPERATION/IMPLEMENTATION or a manifest FILE.toml");
  if (request.database.empty()) throw InputError("database: name the file that keeps the results");
  if (!(request.time_limit_s >= 0)) throw InputError("time_limit_s: it must be 0 or more");
  if (request.compile_processes < 0 || request.compile_processes > kMostCompileProcesses)
    throw InputError(fmt::format("compile_processes: {} is outside 0 to {}",
                                 request.compile_processes, kMostCompileProcesses));
  const std::vector<std::string> strategies = strategy_names();
  if (!request.strategy.empty() &&
      std::ranges::find(strategies, request.strategy) == strategies.end())
    throw InputError(fmt::format("strategy '{}' is not known{}", request.strategy,
                                 suggestion(request.strategy, strategies)));
}

// By default, the worker is next to the running program.
fs::path worker_of(const TuneRequest& request) {
  std::error_code error;
  fs::path worker = request.worker;
  if (worker.empty())
    worker = fs::read_symlink("/proc/self/exe", error).parent_path() / "tilewright-worker";
  if (!fs::exists(worker, error))
    throw MachineError(fmt::format("{} is missing; set 'worker' to the path of tilewright-worker",
                                   worker.string()));
  return worker;
}

WorkerOptions workers_of(const TuneRequest& request, const Toolchain& toolchain) {
  WorkerOptions workers;
  workers.toolchain = toolchain;
  workers.cache = request.cache_folder;
  workers.compile.worker = worker_of(request);
  workers.compile.processes = request.compile_processes;
  return workers;
}

SearchOptions options_of(const TuneRequest& request, const Target& target) {
  SearchOptions options;
  options.cache = request.cache;
  if (!request.where.empty()) options.where = parse_where(request.where, target);
  options.strategy = request.strategy;
  options.budget = request.budget;
  options.time_limit_s = request.time_limit_s;
  options.seed = request.seed;
  return options;
}

// Tells the caller of every trial, on the thread that called tune().
class Teller final : public CampaignObserver {
 public:
  explicit Teller(const std::function<void(const TuneProgress&)>& tell) : tell_(tell) {}

  void on_start(std::size_t candidates, std::size_t already_done) override {
    progress_.planned = candidates;
    progress_.done = already_done;
  }
  void on_trial(const Trial& trial) override {
    ++progress_.done;
    progress_.trial = trial;
    if (trial.timing && (progress_.best_us == 0 || trial.timing->median_us < progress_.best_us))
      progress_.best_us = trial.timing->median_us;
    if (tell_) tell_(progress_);
  }

 private:
  const std::function<void(const TuneProgress&)>& tell_;
  TuneProgress progress_;
};

// The commonest outcome of those that were tried, or of pruned ones if there are no others.
std::string failure_of(const std::vector<Trial>& trials) {
  std::map<Outcome, std::size_t> counts;
  for (const Trial& trial : trials) ++counts[trial.outcome];
  if (counts.size() > 1) counts.erase(Outcome::pruned);
  if (counts.empty()) return "nothing was tried";
  const auto most =
      std::ranges::max_element(counts, {}, [](const auto& item) { return item.second; });
  const auto example = std::ranges::find(trials, most->first, &Trial::outcome);
  return fmt::format("{} of {} {}: {} {}: {}{}", most->second, trials.size(), to_text(most->first),
                     example->implementation, to_text(example->configuration.values),
                     example->rule.empty() ? "" : example->rule + ": ", example->message);
}

PreparedSweep prepare(const TuneRequest& request, const Toolchain& toolchain,
                      const fs::path& folder) {
  check_request(request);
  const Library library = Library::load(request.kernels, request.manifests);
  Settings values = request.problem;
  Family family = find_family(request.operation, library);
  family = with_snippets(std::move(family), values, library.snippets());
  Target target = choose_target(std::move(family), request.operation);
  SearchOptions options = options_of(request, target);
  const DeviceReport device =
      request.device.empty() ? local_device({}) : find_device(request.device);
  const Problem problem = make_problem(target.operation(), values, device.device);
  options.given = write_caller_data(request, target.operation(), problem, device.device, folder);
  return prepare_sweep(std::move(target), problem, device, options, toolchain);
}

std::string end_of(const StoredSweep& sweep) {
  if (sweep.fate == StoredSweep::Fate::nothing_legal) return "nothing legal";
  if (sweep.fate == StoredSweep::Fate::not_begun) return "interrupted";
  return sweep.report.value("end", "");
}

void take_winner(const BestRow& best, TuneResult& result) {
  const Timing timing = best.trial.timing.value_or(Timing{});
  result.implementation = best.implementation;
  result.configuration = best.configuration;
  result.median_us = timing.median_us;
  result.interval_low_us = timing.interval_low_us;
  result.interval_high_us = timing.interval_high_us;
  result.default_us = best.default_median_us;
}

TuneResult result_of(const PreparedSweep& setup, const StoredSweep& sweep) {
  TuneResult result;
  result.problem = setup.request.problem;
  result.device = setup.request.device;
  result.policy = setup.request.policy;
  result.legal = setup.legal;
  const std::vector<Problem> judged = problems_to_verify(setup.request);
  result.other_checks.assign(judged.begin() + 1, judged.end());
  result.end = end_of(sweep);
  if (sweep.record.uuid.empty()) return result;
  result.sweep = sweep.record.uuid;
  result.was_on_record = sweep.fate == StoredSweep::Fate::was_on_record;
  for (const Trial& trial : sweep.trials)
    if (trial.stage == Stage::screen) ++result.outcomes[trial.outcome];
  if (sweep.winners.empty())
    result.failure = failure_of(sweep.trials);
  else
    take_winner(sweep.winners.front(), result);
  return result;
}

}  // namespace

TuneResult tune(const TuneRequest& request) {
  const host::ScratchFolder folder(request.scratch);  // of the caller's data
  const bool is_named = !request.host_compiler.empty();
  const Toolchain toolchain{is_named ? request.host_compiler : usual_host_compiler(),
                            request.toolkit_folders, request.scratch};
  PreparedSweep sweep = prepare(request, toolchain, folder.path());
  const bool is_anew = request.recorded == TuneRequest::Recorded::measure_anew;
  Teller teller(request.progress);
  Campaign campaign({.database = request.database,
                     .scratch = request.scratch,
                     .start = is_anew ? Store::Start::fresh : Store::Start::resume,
                     .isolation = request.isolation,
                     .workers = [&] { return workers_of(request, toolchain); }},
                    teller, request.stop != nullptr ? *request.stop : kNeverStop);
  const StoredSweep done = campaign.run(sweep);
  return result_of(sweep, done);
}

}  // namespace tilewright
