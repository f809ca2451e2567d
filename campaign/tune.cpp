// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tilewright/tune.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "campaign/caller_data.hpp"
#include "campaign/compile_processes.hpp"
#include "campaign/device_lock.hpp"
#include "campaign/stored_sweep.hpp"
#include "definition/library/hook.hpp"
#include "definition/problem.hpp"
#include "definition/text/suggest.hpp"
#include "definition/text/text_file.hpp"
#include "tuner/host/compile/command.hpp"
#include "tuner/host/compile/compiler.hpp"
#include "tuner/machine/machine.hpp"
#include "tuner/search/strategy.hpp"
#include "tuner/sweep/session_plan.hpp"
#include "tuner/worker/device_client.hpp"
#include "tuner/worker/role.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

constexpr int kMostCompileProcesses = 1024;

const std::atomic<bool> kNeverStop = false;

const std::atomic<bool>& stop_of(const TuneRequest& request) {
  return request.stop != nullptr ? *request.stop : kNeverStop;
}

void check_request(const TuneRequest& request) {
  if (request.operation.empty())
    throw InputError("operation: name one, OPERATION/IMPLEMENTATION or a manifest FILE.toml");
  if (request.database.empty()) throw InputError("database: name the file that keeps the results");
  if (!(request.time_limit_s >= 0)) throw InputError("time_limit_s: give a time from 0 on");
  if (request.compile_processes < 0 || request.compile_processes > kMostCompileProcesses)
    throw InputError(fmt::format("compile_processes: {} is outside 0 to {}",
                                 request.compile_processes, kMostCompileProcesses));
  const std::vector<std::string> strategies = strategy_names();
  if (!request.strategy.empty() &&
      std::ranges::find(strategies, request.strategy) == strategies.end())
    throw InputError(fmt::format("strategy '{}' is not known{}", request.strategy,
                                 suggestion(request.strategy, strategies)));
}

// Beside the running program.
fs::path worker_of(const TuneRequest& request) {
  std::error_code error;
  fs::path worker = request.worker;
  if (worker.empty())
    worker = fs::read_symlink("/proc/self/exe", error).parent_path() / "tilewright-worker";
  if (!fs::exists(worker, error))
    throw MachineError(
        fmt::format("{} is missing; name tilewright-worker's place in 'worker'", worker.string()));
  return worker;
}

Toolchain toolchain_of(const TuneRequest& request) {
  const bool is_named = !request.host_compiler.empty();
  return {is_named ? request.host_compiler : usual_host_compiler(), request.toolkit_folders,
          temporary_folder()};
}

SweepOptions options_of(const TuneRequest& request, const SweepTarget& target) {
  SweepOptions options;
  options.cache = request.cache;
  if (!request.where.empty()) options.where = parse_where(request.where, target);
  options.strategy = request.strategy;
  options.budget = request.budget;
  options.time_limit_s = request.time_limit_s;
  options.seed = request.seed;
  return options;
}

// Tells the caller of every trial, on the sweep's thread, which is tune()'s.
class Teller final : public SweepObserver {
 public:
  explicit Teller(const std::function<void(const TuneProgress&)>& tell) : tell_(tell) {}
  void on_start(std::size_t candidates, std::size_t already_done) override {
    progress_.planned = candidates;
    progress_.done = already_done;
  }
  void on_pruned(const std::vector<Trial>&) override {}
  void on_finals(const std::vector<Trial>&) override {}
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

// The commonest outcome of those that were tried; of pruned ones only where nothing else is there.
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

class Tuning {
 public:
  explicit Tuning(const TuneRequest& request)
      : request_(request), stop_(stop_of(request)), toolchain_(toolchain_of(request)) {}

  TuneResult run();

 private:
  SweepSetup prepare(const fs::path& folder) const;
  std::optional<StoredSweep> on_record(const Store& store, const SweepSetup& setup) const;
  StoredSweep measure(Store& store, SweepSetup& setup) const;
  CompilePoolOptions compile_options(const SweepSetup& setup) const;
  std::unique_ptr<Evaluator> evaluator(const SweepSetup& setup) const;
  static TuneResult blank(const SweepSetup& setup);
  static TuneResult result_of(const SweepSetup& setup, const StoredSweep& sweep);

  const TuneRequest& request_;
  const std::atomic<bool>& stop_;
  Toolchain toolchain_;
};

SweepSetup Tuning::prepare(const fs::path& folder) const {
  check_request(request_);
  const Library library = Library::load(request_.kernels, request_.manifests);
  Settings values = request_.problem;
  Family family = find_family(request_.operation, library);
  family = with_snippets(std::move(family), values, library.snippets());
  SweepTarget target = choose_target(std::move(family), request_.operation);
  SweepOptions options = options_of(request_, target);
  const DeviceReport device =
      request_.device.empty() ? local_device({}) : find_device(request_.device);
  const Problem problem = make_problem(target.operation(), values, device.device);
  options.given = write_caller_data(request_, target.operation(), problem, device.device, folder);
  return prepare_sweep(std::move(target), problem, device, options, toolchain_);
}

TuneResult Tuning::run() {
  const host::ScratchFolder folder(temporary_folder());  // of the caller's data
  SweepSetup setup = prepare(folder.path());
  TuneResult result = blank(setup);
  result.end = "nothing legal";
  if (has_nothing_to_record(setup)) return result;
  Store store(request_.database);
  if (const auto sweep = on_record(store, setup)) return result_of(setup, *sweep);
  const DeviceClaim claim = claim_device(setup.device, stop_, [](const std::string&) {});
  result.end = "interrupted";
  if (!claim.lock) return result;
  if (claim.waited)  // perhaps for this very sweep
    if (const auto sweep = on_record(store, setup)) return result_of(setup, *sweep);
  return result_of(setup, measure(store, setup));
}

std::optional<StoredSweep> Tuning::on_record(const Store& store, const SweepSetup& setup) const {
  if (request_.recorded == TuneRequest::Recorded::measure_anew) return std::nullopt;
  return find_finished(store, setup);
}

CompilePoolOptions Tuning::compile_options(const SweepSetup& setup) const {
  CompilePoolOptions options;
  options.worker = worker_of(request_);
  options.arguments =
      arguments_of({WorkerRole::Task::compile, setup.device.device.kind, toolchain_});
  options.processes = request_.compile_processes;
  options.compiler_version = setup.environment.compiler;
  return options;
}

std::unique_ptr<Evaluator> Tuning::evaluator(const SweepSetup& setup) const {
  const DeviceKind kind = setup.device.device.kind;
  if (request_.isolation == Isolation::caller)
    return until_context_is_lost(backend_of(kind).make_session_beside_caller());
  DeviceClientOptions options;
  options.worker = worker_of(request_);
  options.arguments = arguments_of({WorkerRole::Task::device, kind});
  options.limits = step_limits_for(kind);
  options.stop = &stop_;
  return std::make_unique<DeviceClient>(options);
}

StoredSweep Tuning::measure(Store& store, SweepSetup& setup) const {
  CompileProcesses compilers(compile_options(setup), request_.cache_folder);
  const std::unique_ptr<Evaluator> device = evaluator(setup);
  const bool is_anew = request_.recorded == TuneRequest::Recorded::measure_anew;
  const SweepRecord record =
      begin_sweep(store, setup, is_anew ? Store::Start::fresh : Store::Start::resume);
  Teller teller(request_.progress);
  return run_stored_sweep(store, setup, record, {compilers, *device, {&teller}, stop_});
}

TuneResult Tuning::blank(const SweepSetup& setup) {
  TuneResult result;
  result.problem = setup.request.problem;
  result.device = setup.request.device;
  result.policy = setup.request.policy;
  result.legal = setup.legal;
  const std::vector<Problem> judged = problems_to_verify(setup.request);
  result.other_checks.assign(judged.begin() + 1, judged.end());
  return result;
}

TuneResult Tuning::result_of(const SweepSetup& setup, const StoredSweep& sweep) {
  TuneResult result = blank(setup);
  result.sweep = sweep.record.uuid;
  result.was_on_record = sweep.was_finished();
  result.end = sweep.report.value("end", "");
  for (const Trial& trial : sweep.trials)
    if (trial.stage == Stage::screen) ++result.outcomes[trial.outcome];
  if (sweep.winners.empty()) {
    result.failure = failure_of(sweep.trials);
    return result;
  }
  const BestRow& best = sweep.winners.front();
  const Timing timing = best.trial.timing.value_or(Timing{});
  result.implementation = best.implementation;
  result.configuration = best.configuration;
  result.median_us = timing.median_us;
  result.interval_low_us = timing.interval_low_us;
  result.interval_high_us = timing.interval_high_us;
  result.default_us = best.default_median_us;
  return result;
}

}  // namespace

TuneResult tune(const TuneRequest& request) {
  return Tuning(request).run();
}

}  // namespace tilewright
