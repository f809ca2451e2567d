// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tools/work/sweep_runner.hpp"

#include <fmt/format.h>

#include <iostream>

#include "tools/input/paths.hpp"
#include "tools/print/machine_report.hpp"
#include "tools/print/progress.hpp"
#include "tools/print/report.hpp"
#include "tools/work/device_process.hpp"

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

SweepAnswer answer_without_sweep(const SweepSetup& setup, ExitStatus status) {
  SweepAnswer answer;
  answer.status = status;
  answer.record.key = setup.key;
  return answer;
}

SweepAnswer answer_of(StoredSweep sweep) {
  SweepAnswer answer{std::move(sweep)};
  answer.status = answer.winners.empty() ? kNothing : kDone;
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
  auto sweep = find_finished(*store_, setup);
  if (!sweep) return std::nullopt;
  std::cerr << fmt::format("already finished {}; --fresh measures anew\n",
                           age_text(sweep->record.finished));
  SweepAnswer answer = answer_of(*std::move(sweep));
  say_if_nothing_was_measured(answer);
  return answer;
}

bool SweepRunner::claim(const DeviceReport& device) {
  claim_.waited = false;
  if (!claim_.lock) claim_ = claim_device(arguments_, device, interrupt_->stop(), std::cerr);
  return claim_.lock.has_value();
}

CompileQueue& SweepRunner::compilers(const Device& device) {
  if (!compilers_) compilers_.emplace(arguments_, device.kind);
  return *compilers_;
}

Evaluator& SweepRunner::evaluator(const Device& device) {
  if (!evaluator_) evaluator_.emplace(device_process(arguments_, device, interrupt_->stop()));
  return *evaluator_;
}

SweepAnswer SweepRunner::measure(SweepSetup& setup) {
  CompileQueue& compile_processes = compilers(setup.request.device);
  Evaluator& device_process = evaluator(setup.request.device);
  const SweepRecord record = begin_sweep(*store_, setup, start_of(arguments_));
  say_what_is_kept(arguments_, setup.request.done.size());
  SweepProgress progress(std::cerr, stderr_display());
  interrupt_->trials_begin();
  SweepAnswer answer = answer_of(
      run_stored_sweep(*store_, setup, record,
                       {compile_processes, device_process, {&progress}, interrupt_->stop()}));
  progress.finish();
  if (const std::string what = disturbance(answer.summary->machine); !what.empty())
    std::cerr << "warning: " << what << '\n';
  if (answer.summary->end == SweepEnd::interrupted) {
    std::cerr << "interrupted; the same command goes on from here\n";
    answer.status = kInterrupted;
    return answer;
  }
  say_if_nothing_was_measured(answer);
  return answer;
}

}  // namespace tilewright::tools
