#include "tuner/sweep/run/sweep.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

#include "definition/problem.hpp"
#include "definition/text/suggest.hpp"
#include "tilewright/error.hpp"
#include "tilewright/statistics.hpp"
#include "tuner/plan/compile_request.hpp"
#include "tuner/search/strategy.hpp"
#include "tuner/sweep/candidates.hpp"
#include "tuner/sweep/compile_ahead.hpp"
#include "tuner/sweep/devices/device_pool.hpp"
#include "tuner/sweep/devices/judge.hpp"
#include "tuner/sweep/prepare/inspector.hpp"
#include "tuner/sweep/prepare/services.hpp"
#include "tuner/sweep/prepare/session_plan.hpp"
#include "tuner/sweep/run/final.hpp"
#include "tuner/sweep/timeline.hpp"

namespace tilewright {
namespace {

// How long to wait for a compile or a trial before looking for the other.
constexpr std::chrono::milliseconds kAttention(10);
constexpr std::chrono::milliseconds kNoWait(0);

// The seed of the final's inputs, which differ from those of the screening.
std::uint64_t second_seed(std::uint64_t seed) {
  return seed + 0x9E3779B97F4A7C15;
}

class Sweep {
 public:
  Sweep(const SweepRequest& request, const std::vector<Space>& spaces, CompileQueue& compilers,
        const std::vector<SweepDevice>& devices, SweepObserver& observer,
        const std::atomic<bool>& stop)
      : request_(request),
        spaces_(spaces),
        compilers_(compilers),
        observer_(observer),
        stop_(stop),
        elapsed_(request.done),
        inspector_(request, problems_to_verify(request)),
        plateau_(request.plateau),
        devices_(request, devices, observer, stop) {
    for (const Trial& trial : request.done) done_.insert(key(trial));
  }

  SweepSummary run() {
    {
      const Timed time(timeline_, Activity::searching);
      enumerate();
      if (candidates_.size() > 0) take_over_done();
    }
    if (candidates_.size() > 0) {
      submit_services(request_, compilers_);
      refill();  // compilers work while the session makes inputs and references
      if (auto services = wait_for_services(request_, compilers_, stop_)) {
        services_ = *std::move(services);
        search();
        summary_.searched_s = elapsed_.this_run_s();
        if (!stop_ && !has_finals_) run_final_stage();
      }
    }
    if (is_interrupted()) summary_.end = SweepEnd::interrupted;
    summary_.compiles = compilers_.counts();
    devices_.add_to(summary_);
    summary_.seen = screened_.size();
    note_importance();
    note_clock();
    return summary_;
  }

 private:
  using Key = std::tuple<std::string, Configuration, Stage>;
  static Key key(const Trial& trial) {
    return {trial.implementation, trial.configuration, trial.stage};
  }

  void note_importance() {
    const Timed time(timeline_, Activity::searching);
    summary_.importance = importance_of(candidates_.grid(), known_times(), request_.seed);
  }

  void note_clock() {
    timeline_.add(compilers_.timeline());
    timeline_.add(devices_.timeline());
    summary_.compile_processes = compilers_.processes();
    summary_.clock = timeline_.clock({elapsed_.start(), std::chrono::steady_clock::now()},
                                     compilers_.processes());
  }

  void enumerate() {
    for (std::size_t i = 0; i < spaces_.size(); ++i) {
      const Implementation& implementation = *request_.implementations[i];
      candidates_.add(implementation, spaces_[i].legal, spaces_[i].first);
      sources_[&implementation] = read_source(implementation);
      report_pruned(implementation, spaces_[i]);
    }
    summary_.candidates = candidates_.size();
  }

  void report_pruned(const Implementation& implementation, const Space& space) {
    std::vector<Trial> trials;
    for (const Cut& limit : space.limits)
      summary_.outcomes[Outcome::pruned] += static_cast<std::size_t>(limit.count);
    for (const PrunedConfiguration& item : space.pruned) {
      Trial trial;
      trial.implementation = implementation.full_name();
      trial.configuration = item.configuration;
      trial.rule = item.rule;
      trial.message = item.message;
      trial.ended_s = elapsed_.total_s();
      if (!done_.contains(key(trial))) trials.push_back(std::move(trial));
    }
    const Timed time(timeline_, Activity::storing);
    if (!trials.empty()) observer_.on_pruned(trials);
  }

  void take_over_done() {
    strategy_ = make_search(request_, candidates_);
    const std::size_t all = candidates_.size();
    const bool tries_all = request_.budget == 0 || request_.budget >= all;
    SearchProgress progress{tries_all ? all : request_.budget, 0, tries_all};
    if (request_.time_limit_s > 0)
      progress.limit_s = std::max(1e-3, request_.time_limit_s - elapsed_.this_run_s());
    for (const Trial& trial : request_.done) {
      const auto candidate = candidates_.find(trial.implementation, trial.configuration);
      has_finals_ |= trial.stage == Stage::final;
      if (!candidate || trial.stage != Stage::screen) continue;
      const Candidate& item = candidates_[*candidate];
      inspector_.remember(item, trial);
      devices_.remember(trial);
      ++summary_.outcomes[trial.outcome];
      progress.add(trial);
      screened_.push_back(
          judged({*candidate, item.is_default(), trial.timing ? trial.timing->median_us : 0, trial},
                 request_.objective));
      strategy_->tell(*candidate, lesson(screened_.back()));
      note_time(screened_.back());
    }
    for (const Implementation* implementation : request_.implementations)
      if (const auto candidate =
              candidates_.find(implementation->full_name(), default_configuration(*implementation)))
        defaults_.push_back(*candidate);
    observer_.on_start(progress);
  }

  DevicePool::Open opening_with(std::uint64_t seed) {
    return [this, seed](const SweepDevice& device) {
      open_session(request_, services_, seed, device);
    };
  }

  CompileRequest request_to_compile(std::size_t candidate) const {
    const Candidate& item = candidates_[candidate];
    return compile_request(request_, sources_.at(item.implementation), item);
  }

  void refill() {
    const Timed time(timeline_, Activity::searching);
    while (compilers_.in_flight() + held_.size() < compilers_.depth()) {
      const auto proposed =
          strategy_->propose(compilers_.depth() - compilers_.in_flight() - held_.size());
      if (proposed.empty()) return;  // for now, because a duplicate frees budget
      for (const std::size_t candidate : proposed) {
        if (has_architecture(request_, *candidates_[candidate].implementation)) {
          compilers_.submit(candidate, request_to_compile(candidate));
        } else {
          report(candidate, unsupported_trial(request_, candidates_[candidate]), 0);
        }
      }
    }
  }

  void search() {
    devices_.start(opening_with(request_.seed), request_.time_limit_s > 0
                                                    ? elapsed_.after(request_.time_limit_s)
                                                    : Moment::max());
    while (may_go_on()) {
      refill();
      bool has_admitted = false;  // perhaps a duplicate, which frees budget
      while (devices_.has_room() && admit_next(kNoWait)) has_admitted = true;
      if (take_outcome(kNoWait) || has_admitted) continue;
      const bool has_compiles = compilers_.in_flight() + held_.size() > 0;
      if (!has_compiles && devices_.in_flight() == 0) break;
      if (has_compiles && devices_.has_room()) {
        admit_next(kAttention);
      } else {
        take_outcome(kAttention);
      }
    }
    devices_.close();
    while (take_outcome(kNoWait)) {
    }
    held_.clear();
    compilers_.forget();  // none are left unless the search ended early
  }

  bool may_go_on() {
    const bool has_limit = request_.time_limit_s > 0 && has_run_any_;
    if (has_limit && elapsed_.this_run_s() > request_.time_limit_s)
      summary_.end = SweepEnd::time_limit;
    if (is_to_end() && summary_.end == SweepEnd::finished) summary_.end = SweepEnd::ended_early;
    return !stop_ && summary_.end == SweepEnd::finished;
  }

  bool is_to_end() const { return request_.end_search != nullptr && *request_.end_search; }

  // Unless its search was to end and there is an answer.
  bool is_interrupted() const {
    if (!stop_ && summary_.end != SweepEnd::ended_early) return false;
    const auto has_time = [](const Screened& item) { return item.normal_us > 0; };
    return !is_to_end() || std::ranges::none_of(screened_, has_time);
  }

  // Other candidates wait for the defaults to compile, but not for long. Of several with equal
  // code, the default is then the one that is measured.
  std::optional<CompileQueue::Done> next_compiled(std::chrono::milliseconds limit) {
    const auto is_awaited = [this](std::size_t one) { return compilers_.is_submitted(one); };
    while (std::ranges::any_of(defaults_, is_awaited) && held_.size() < compilers_.depth() / 2) {
      auto compiled = compilers_.next(limit);
      if (!compiled || is_among(compiled->ticket, defaults_)) return compiled;
      held_.push_back(*std::move(compiled));
    }
    if (held_.empty()) return compilers_.next(limit);
    auto compiled = std::move(held_.front());
    held_.pop_front();
    return compiled;
  }

  // Passes a compiled candidate to the device, or reports its outcome if it need not run.
  bool admit_next(std::chrono::milliseconds limit) {
    const auto compiled = next_compiled(limit);
    if (!compiled) return false;
    const Timed time(timeline_, Activity::checking);
    Inspected inspected = inspector_.inspect(candidates_[compiled->ticket], compiled->result);
    if (inspected.kernel) {
      devices_.submit({compiled->ticket, std::move(inspected.trial), *std::move(inspected.kernel)});
    } else {
      report(compiled->ticket, std::move(inspected.trial), 0);
    }
    return true;
  }

  bool take_outcome(std::chrono::milliseconds limit) {
    auto item = devices_.next(limit);
    has_run_any_ |= item.has_value();
    if (item) report(item->candidate, std::move(item->trial), item->normal_us);
    return item.has_value();
  }

  std::vector<Screened> finalists(Load load) const {
    return named_after_first(choose_finalists(screened_, request_.final, load), screened_,
                             candidates_, inspector_);
  }

  void run_final_stage() {
    const std::vector<Screened> fastest = finalists(Load::usual);
    if (stop_ || fastest.empty()) return;
    ContestRules rules = request_.final.contest;
    rules.seed = request_.seed;
    if (request_.objective)
      rules.judged = [this](Trial trial) {
        return request_.objective->in_place_of_time(std::move(trial));
      };
    const auto compile = [this](std::size_t candidate) { return request_to_compile(candidate); };
    FinalResult result;
    devices_.on_first(opening_with(second_seed(request_.seed)), [&](Judge& judge) {
      const FinalContext context{candidates_, compile, compilers_, inspector_, judge, stop_};
      const Load load = settle(fastest, context);
      if (load != Load::held_down)
        rules.time_limit_s = std::min(rules.time_limit_s, request_.final.usual_limit_s);
      result = run_final(load == Load::usual ? fastest : finalists(load), rules, context);
    });
    if (stop_ && !is_to_end()) return;
    for (Trial& trial : result.trials) trial.ended_s = elapsed_.total_s();
    summary_.final = result.summary;
    const Timed time(timeline_, Activity::storing);
    if (!result.trials.empty()) observer_.on_finals(result.trials);
  }

  void report(std::size_t candidate, Trial trial, double normal_us) {
    ++summary_.outcomes[trial.outcome];
    ++summary_.tried;
    trial.ended_s = elapsed_.total_s();
    report_new(trial);
    screened_.push_back(
        judged({candidate, candidates_[candidate].is_default(), normal_us, std::move(trial)},
               request_.objective));
    const Screened& item = screened_.back();
    {
      const Timed time(timeline_, Activity::searching);
      strategy_->tell(candidate, lesson(item));
    }
    note_time(item);
  }

  // What the strategy learns. Code that is launched in another way is another code to it.
  Trial lesson(const Screened& item) const {
    Trial trial = at_the_start(item.trial, item.normal_us);
    if (!trial.code_hash.empty())
      trial.code_hash = inspector_.key(candidates_[item.candidate], trial.code_hash);
    return trial;
  }

  void note_time(const Screened& item) {
    const double time_us = item.normal_us;
    const double drift = time_us > 0 ? item.trial.timing->median_us / time_us : 1;
    plateau_.add(mean_time_us(item.trial) / drift, elapsed_.this_run_s());
    if (summary_.end != SweepEnd::finished) return;
    if (plateau_.is_over()) summary_.end = SweepEnd::enough_time;
    if (plateau_.is_reached()) summary_.end = SweepEnd::plateau;
    if (time_us > 0 && time_us <= request_.target_us) summary_.end = SweepEnd::target;
  }

  void report_new(const Trial& trial) {
    const Timed time(timeline_, Activity::storing);
    if (!done_.contains(key(trial))) observer_.on_trial(trial);
  }

  std::vector<Known> known_times() const {
    std::vector<Known> known;
    for (const Screened& item : screened_)
      if (item.normal_us > 0) known.push_back({item.candidate, std::log(item.normal_us)});
    return known;
  }

  const SweepRequest& request_;
  const std::vector<Space>& spaces_;  // by request_.implementations
  CompileAhead compilers_;
  SweepObserver& observer_;
  const std::atomic<bool>& stop_;

  SweepSummary summary_;
  Elapsed elapsed_;
  std::set<Key> done_;
  Candidates candidates_;
  std::map<const Implementation*, KernelSource> sources_;
  std::vector<std::size_t> defaults_;
  std::unique_ptr<Strategy> strategy_;
  bool has_finals_ = false;   // an earlier run completed the final
  bool has_run_any_ = false;  // on a device, in this run
  Services services_;
  Inspector inspector_;
  std::deque<CompileQueue::Done> held_;  // wait for a default that may have the same code
  std::vector<Screened> screened_;
  Plateau plateau_;
  Timeline timeline_;
  DevicePool devices_;
};

}  // namespace

std::vector<Space> build_spaces(const SweepRequest& request) {
  std::vector<Space> spaces;
  for (const Implementation* implementation : request.implementations)
    spaces.push_back(build_space(*request.operation, *implementation, request.problem,
                                 request.device, request.where));
  return spaces;
}

void list_routines(const SweepRequest& request, const SweepDevice& device,
                   std::vector<Space>& spaces) {
  for (std::size_t i = 0; i < spaces.size(); ++i) {
    if (!spaces[i].is_open) continue;
    const Implementation& implementation = *request.implementations[i];
    const PlannedRoutine routine = plan_routine(*request.operation, implementation,
                                                full_scope(request.problem, request.device));
    spaces[i] = listed_space(implementation, request.problem, request.device,
                             device.evaluator->list(device.device_index, routine), request.where);
  }
}

std::size_t legal_of(const std::vector<Space>& spaces) {
  std::size_t legal = 0;
  for (const Space& space : spaces) legal += space.legal.size();
  return legal;
}

SweepSummary run_sweep(const SweepRequest& request, const std::vector<Space>& spaces,
                       CompileQueue& compilers, const std::vector<SweepDevice>& devices,
                       SweepObserver& observer, const std::atomic<bool>& stop) {
  return Sweep(request, spaces, compilers, devices, observer, stop).run();
}

}  // namespace tilewright
