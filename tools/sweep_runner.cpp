// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tools/sweep_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "tools/device_process.hpp"
#include "tools/machine_report.hpp"
#include "tools/paths.hpp"
#include "tools/priors.hpp"
#include "tools/progress.hpp"
#include "tools/report.hpp"
#include "tools/store_observer.hpp"
#include "tools/sweep_report.hpp"
#include "tuner/search/strategy.hpp"

namespace tilewright::tools {
namespace {

void print_title(const SweepSetup& setup) {
  const SweepRequest& request = setup.request;
  std::cerr << fmt::format("{} {} on {} ({}), {}: {}", request.operation->name,
                           problem_text(*request.operation, request.problem), request.device.name,
                           setup.device.id, to_text(request.policy),
                           counted(static_cast<std::int64_t>(setup.legal), "legal configuration",
                                   "legal configurations"));
  if (setup.budget_was_chosen)
    std::cerr << fmt::format(
        "; trying up to {} of them (--budget all tries every one, --budget N another number)",
        request.budget);
  std::cerr << std::endl;
}

Store::Start start_of(const Arguments& arguments) {
  if (arguments.has("fresh")) return Store::Start::fresh;
  return arguments.has("retry") ? Store::Start::retry : Store::Start::resume;
}

void say_what_is_kept(const Arguments& arguments, std::size_t kept) {
  if (kept == 0) return;
  std::cerr << fmt::format("{}: {} kept\n",
                           arguments.has("retry")
                               ? "trying again what a fault or a limit of time ended"
                               : "going on with an interrupted sweep",
                           counted(static_cast<std::int64_t>(kept), "trial", "trials"));
}

bool has_nothing_to_record(const SweepSetup& setup) {
  const auto is_empty = [](const Space& space) { return space.pruned.empty(); };
  return setup.legal == 0 && std::all_of(setup.spaces.begin(), setup.spaces.end(), is_empty);
}

SweepAnswer answer_without_sweep(const SweepSetup& setup, ExitStatus status) {
  SweepAnswer answer;
  answer.status = status;
  answer.record.key = setup.key;
  return answer;
}

SweepAnswer answer_of(SweepRecord record, nlohmann::json report, const std::vector<Trial>& trials) {
  SweepAnswer answer;
  answer.winners = winners_of(record, trials);
  answer.status = answer.winners.empty() ? kNothing : kDone;
  answer.record = std::move(record);
  answer.report = std::move(report);
  return answer;
}

void say_if_nothing_was_measured(const SweepAnswer& answer) {
  if (answer.status == kNothing)
    std::cerr << fmt::format(
        "no configuration was measured; `tilewright results --sweep {} --all` says why\n",
        answer.record.uuid.substr(0, 8));
}

}  // namespace

SweepAnswer SweepRunner::run(SweepSetup& setup) {
  print_title(setup);
  if (has_nothing_to_record(setup)) {
    std::cerr << "no configuration is legal for this problem on this device\n";
    return answer_without_sweep(setup, kNothing);
  }
  if (!store_) store_.emplace(database_file(arguments_));
  if (auto answer = finished_before(setup)) return *std::move(answer);
  if (!interrupt_) interrupt_.emplace();
  if (!claim(setup.device)) {
    std::cerr << "interrupted\n";
    return answer_without_sweep(setup, kInterrupted);
  }
  if (claim_.waited)  // perhaps for this very sweep
    if (auto answer = finished_before(setup)) return *std::move(answer);
  return measure(setup);
}

std::optional<SweepAnswer> SweepRunner::finished_before(const SweepSetup& setup) {
  if (start_of(arguments_) != Store::Start::resume) return std::nullopt;
  auto record = store_->finished_sweep(setup.key);
  if (!record) return std::nullopt;
  std::cerr << fmt::format("already finished {}; --fresh measures anew\n",
                           age_text(record->finished));
  nlohmann::json report = nlohmann::json::parse(record->report, nullptr, false);
  if (!report.is_object()) report = nlohmann::json::object();
  const std::vector<Trial> trials = store_->trials(record->id);
  SweepAnswer answer = answer_of(*std::move(record), std::move(report), trials);
  answer.was_finished = true;
  say_if_nothing_was_measured(answer);
  return answer;
}

bool SweepRunner::claim(const DeviceReport& device) {
  claim_.waited = false;
  if (!claim_.lock) claim_ = claim_device(arguments_, device, interrupt_->stop(), std::cerr);
  return claim_.lock.has_value();
}

CompileQueue& SweepRunner::compilers(const Device& device) {
  if (!compilers_) compilers_.emplace(arguments_, compiler_for(device));
  return *compilers_;
}

Evaluator& SweepRunner::evaluator(const Device& device) {
  if (!evaluator_) evaluator_.emplace(device_process(arguments_, device, interrupt_->stop()));
  return *evaluator_;
}

SweepAnswer SweepRunner::measure(SweepSetup& setup) {
  SweepRequest& request = setup.request;
  CompileQueue& compile_processes = compilers(request.device);
  Evaluator& device_process = evaluator(request.device);
  const SweepRecord record =
      store_->begin_sweep(setup.key, setup.environment, start_of(arguments_));
  request.done = store_->trials(record.id);
  const PriorUse use = prior_use(arguments_);
  Priors priors;
  const bool has_use = is_learning(request.strategy);
  if (has_use && use == PriorUse::stored) priors = find_priors(*store_, setup);
  request.priors = std::move(priors.trials);
  say_what_is_kept(arguments_, request.done.size());
  const auto monitor = monitor_for(setup.device);
  request.monitor = monitor.get();
  CutTally tally(request.done);
  StoreObserver keep(*store_, record, request.done);
  SweepProgress progress(std::cerr, stderr_display());
  ObserverList observers({&keep, &tally, &progress});
  interrupt_->trials_begin();
  const SweepSummary summary =
      run_sweep(request, compile_processes, device_process, observers, interrupt_->stop());
  progress.finish();
  if (const std::string what = disturbance(summary.machine); !what.empty())
    std::cerr << "warning: " << what << '\n';

  nlohmann::json report = report_of(summary, tally);
  if (has_use) report["priors"] = json_of(*request.operation, priors, use);
  if (summary.end == SweepEnd::interrupted) {
    std::cerr << "interrupted; the same command goes on from here\n";
    SweepAnswer answer = answer_of(record, std::move(report), keep.trials());
    answer.status = kInterrupted;
    return answer;
  }
  keep.finish(report.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  SweepAnswer answer = answer_of(record, std::move(report), keep.trials());
  say_if_nothing_was_measured(answer);
  return answer;
}

}  // namespace tilewright::tools
