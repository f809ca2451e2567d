// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tuner/sweep/sweep.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

#include "tilewright/error.hpp"
#include "tuner/backend/source.hpp"
#include "tuner/definition/problem.hpp"
#include "tuner/search/strategy.hpp"
#include "tuner/sweep/candidates.hpp"
#include "tuner/sweep/compile_ahead.hpp"
#include "tuner/sweep/final.hpp"
#include "tuner/sweep/judge.hpp"
#include "tuner/sweep/services.hpp"
#include "tuner/sweep/session_plan.hpp"

namespace tilewright {
namespace {

// Of the final's inputs: other data than those that all were screened on.
std::uint64_t second_seed(std::uint64_t seed) {
  return seed + 0x9E3779B97F4A7C15;
}

class Sweep {
 public:
  Sweep(const SweepRequest& request, CompileQueue& compilers, Evaluator& evaluator,
        SweepObserver& observer, const std::atomic<bool>& stop)
      : request_(request),
        compilers_(compilers),
        evaluator_(evaluator),
        observer_(observer),
        stop_(stop),
        judge_(request, evaluator, problems_to_verify(request)),
        plateau_(request.plateau) {
    for (const Trial& trial : request.done) done_.insert(key(trial));
  }

  SweepSummary run();

 private:
  using Key = std::tuple<std::string, Configuration, Stage>;
  static Key key(const Trial& trial) {
    return {trial.implementation, trial.configuration, trial.stage};
  }

  void enumerate();
  void report_pruned(const Implementation& implementation, const Space& space);
  void take_over_done();
  void open_session(std::uint64_t seed);
  void screen_defaults();
  void screen();
  void refill();
  void run_final_stage();
  CompileRequest request_to_compile(std::size_t candidate) const;
  void report(std::size_t candidate, Trial trial);
  void report_new(const Trial& trial);
  void note_time(double time_us);
  std::vector<Known> known_times() const;
  bool out_of_time() const;

  const SweepRequest& request_;
  CompileAhead compilers_;
  Evaluator& evaluator_;
  SweepObserver& observer_;
  const std::atomic<bool>& stop_;

  SweepSummary summary_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::set<Key> done_;
  Candidates candidates_;
  std::map<const Implementation*, KernelSource> sources_;
  std::unique_ptr<Strategy> strategy_;
  bool has_finals_ = false;  // of an earlier run, which are complete
  Services services_;
  Judge judge_;
  std::vector<Screened> screened_;
  Plateau plateau_;
};

SweepSummary Sweep::run() {
  {
    const Stopwatch watch(summary_.clock.total_s);
    enumerate();
    if (candidates_.size() > 0) {
      take_over_done();
      if (auto services = compile_services(request_, compilers_, stop_)) {
        services_ = *std::move(services);
        refill();  // the compilers work while inputs and references are made
        open_session(request_.seed);
      }
      screen_defaults();
      screen();
      if (!stop_ && !has_finals_) run_final_stage();
    }
  }
  if (stop_) summary_.end = SweepEnd::interrupted;
  summary_.clock.waiting_for_compilers_s = compilers_.waited_s();
  summary_.compiles = compilers_.counts();
  summary_.clock.device_s = judge_.device_s();
  const Drift& drift = judge_.drift();
  summary_.drift = {drift.readings(), drift.lowest(), drift.highest()};
  summary_.machine = judge_.watch().summary();
  summary_.worker_restarts = evaluator_.restarts();
  summary_.seen = screened_.size();
  summary_.importance = importance_of(candidates_.grid(), known_times(), request_.seed);
  return summary_;
}

void Sweep::enumerate() {
  for (const Implementation* implementation : request_.implementations) {
    const Space space = build_space(*request_.operation, *implementation, request_.problem,
                                    request_.device, request_.where);
    observer_.on_space(*implementation, space);
    candidates_.add(*implementation, space);
    sources_[implementation] =
        read_source(implementation->source, implementation->include_directories);
    report_pruned(*implementation, space);
  }
  summary_.candidates = candidates_.size();
}

void Sweep::report_pruned(const Implementation& implementation, const Space& space) {
  std::vector<Trial> trials;
  for (const PrunedConfiguration& item : space.pruned) {
    Trial trial;
    trial.implementation = implementation.full_name();
    trial.configuration = item.configuration;
    trial.rule = item.rule;
    trial.message = item.message;
    ++summary_.outcomes[Outcome::pruned];
    if (!done_.contains(key(trial))) trials.push_back(std::move(trial));
  }
  if (!trials.empty()) observer_.on_pruned(trials);
}

void Sweep::take_over_done() {
  strategy_ =
      make_strategy(request_.strategy, {candidates_.size(), candidates_.worth_trying_first(),
                                        request_.seed, request_.budget, candidates_.grid()});
  for (const Trial& trial : request_.done) {
    const auto candidate = candidates_.find(trial.implementation, trial.configuration);
    has_finals_ |= trial.stage == Stage::final;
    if (!candidate || trial.stage != Stage::screen) continue;
    const Candidate& item = candidates_[*candidate];
    const bool is_default = item.configuration == default_configuration(*item.implementation);
    strategy_->tell(*candidate, trial);
    judge_.remember(item, trial);
    ++summary_.outcomes[trial.outcome];
    screened_.push_back(
        {*candidate, is_default, trial.timing ? trial.timing->median_us : 0, trial});
    note_time(screened_.back().normal_us);
  }
  const std::size_t all = candidates_.size();
  const std::size_t planned = request_.budget == 0 ? all : std::min(request_.budget, all);
  observer_.on_start(planned, screened_.size());
}

void Sweep::open_session(std::uint64_t seed) {
  const Stopwatch watch(summary_.clock.open_s);
  tilewright::open_session(request_, services_, seed, evaluator_);
}

CompileRequest Sweep::request_to_compile(std::size_t candidate) const {
  const Candidate& item = candidates_[candidate];
  return compile_request(request_, sources_.at(item.implementation), item);
}

void Sweep::refill() {
  while (summary_.end == SweepEnd::finished && compilers_.in_flight() < compilers_.depth()) {
    const auto proposed = strategy_->propose(compilers_.depth() - compilers_.in_flight());
    if (proposed.empty()) return;  // for now: a duplicate gives its trial back
    for (const std::size_t candidate : proposed) {
      if (has_architecture(request_, *candidates_[candidate].implementation)) {
        compilers_.submit(candidate, request_to_compile(candidate));
      } else {
        report(candidate, unsupported_trial(request_, candidates_[candidate]));
      }
    }
  }
}

// The defaults come first, whatever compiles sooner: of several with equal code the default is
// the one that is measured, not a duplicate.
void Sweep::screen_defaults() {
  for (const Implementation* implementation : request_.implementations) {
    const auto candidate =
        candidates_.find(implementation->full_name(), default_configuration(*implementation));
    if (!candidate || !compilers_.is_submitted(*candidate)) continue;
    const auto code = compilers_.wait_for(*candidate, stop_);
    if (!code || stop_) return;
    report(*candidate, judge_.screen(candidates_[*candidate], *code));
  }
}

void Sweep::screen() {
  while (!stop_) {
    if (out_of_time()) {
      summary_.end = SweepEnd::time_limit;
      return;
    }
    refill();
    if (compilers_.in_flight() == 0) return;
    const auto done = compilers_.next();
    if (done) report(done->ticket, judge_.screen(candidates_[done->ticket], done->result));
  }
}

void Sweep::run_final_stage() {
  compilers_.forget();  // there is something only where the time was up
  const auto chosen = named_after_first(choose_finalists(screened_, request_.final), screened_,
                                        candidates_, judge_);
  if (stop_ || chosen.empty()) return;
  open_session(second_seed(request_.seed));
  ContestRules rules = request_.final.contest;
  rules.seed = request_.seed;
  const auto compile = [this](std::size_t candidate) { return request_to_compile(candidate); };
  FinalResult result = run_final(chosen, rules, {candidates_, compile, compilers_, judge_, stop_});
  summary_.final = result.summary;
  if (!result.trials.empty()) observer_.on_finals(result.trials);
}

void Sweep::report(std::size_t candidate, Trial trial) {
  const Candidate& item = candidates_[candidate];
  const bool is_default = item.configuration == default_configuration(*item.implementation);
  const double normal_us = trial.timing ? trial.timing->median_us / judge_.drift().factor() : 0;
  ++summary_.outcomes[trial.outcome];
  ++summary_.tried;
  strategy_->tell(candidate, trial);
  report_new(trial);
  screened_.push_back({candidate, is_default, normal_us, std::move(trial)});
  note_time(normal_us);
}

// What is on its way when the search ends is still measured.
void Sweep::note_time(double time_us) {
  plateau_.add(time_us);
  if (summary_.end != SweepEnd::finished) return;
  if (plateau_.is_reached()) summary_.end = SweepEnd::plateau;
  if (time_us > 0 && time_us <= request_.target_us) summary_.end = SweepEnd::target;
}

void Sweep::report_new(const Trial& trial) {
  if (!done_.contains(key(trial))) observer_.on_trial(trial);
}

std::vector<Known> Sweep::known_times() const {
  std::vector<Known> known;
  for (const Screened& item : screened_)
    if (item.normal_us > 0) known.push_back({item.candidate, std::log(item.normal_us)});
  return known;
}

bool Sweep::out_of_time() const {
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
  return request_.time_limit_s > 0 && spent.count() > request_.time_limit_s;
}

}  // namespace

SweepSummary run_sweep(const SweepRequest& request, CompileQueue& compilers, Evaluator& evaluator,
                       SweepObserver& observer, const std::atomic<bool>& stop) {
  return Sweep(request, compilers, evaluator, observer, stop).run();
}

}  // namespace tilewright
