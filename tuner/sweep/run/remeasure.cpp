#include "tuner/sweep/run/sweep.hpp"

#include <map>
#include <utility>

#include "tuner/sweep/prepare/inspector.hpp"
#include "tuner/sweep/prepare/services.hpp"
#include "tuner/sweep/prepare/session_plan.hpp"
#include "tuner/sweep/run/final.hpp"
#include "tuner/sweep/timeline.hpp"

namespace tilewright {
namespace {

class Remeasurement {
 public:
  Remeasurement(const SweepRequest& request, const std::vector<Candidate>& candidates,
                CompileQueue& compilers, Evaluator& evaluator, const std::atomic<bool>& stop)
      : request_(request),
        list_(candidates),
        compilers_(compilers),
        evaluator_(evaluator),
        stop_(stop),
        inspector_(request, problems_to_verify(request)),
        judge_(request, evaluator) {}

  std::vector<Trial> run() {
    std::vector<Trial> trials;
    std::vector<Screened> able;
    for (std::size_t i = 0; i < list_.size(); ++i) {
      trials.push_back(compile(i));
      if (trials.back().outcome == Outcome::measured) able.push_back({i, false, 0, trials.back()});
    }
    if (stop_) return {};
    if (able.empty()) return trials;
    FinalResult result = measure(able);
    if (stop_) return {};
    for (Trial& trial : result.trials) trial.ended_s = elapsed_.total_s();
    auto measured = result.trials.begin();  // same order, possibly with gaps
    for (Trial& trial : trials) {
      if (trial.outcome != Outcome::measured) continue;
      if (measured != result.trials.end() && measured->implementation == trial.implementation &&
          measured->configuration == trial.configuration) {
        trial = std::move(*measured++);
      } else {
        trial.outcome = Outcome::compile_failed;
        trial.message = "it compiled at first, but not when it was compiled again";
      }
    }
    return trials;
  }

 private:
  // The trial before it runs. Its outcome is `measured` if it can run.
  Trial compile(std::size_t i) {
    const Candidate& candidate = list_[i];
    const Implementation& implementation = *candidate.implementation;
    Trial trial = unsupported_trial(request_, candidate);
    trial.stage = Stage::final;
    trial.ended_s = elapsed_.total_s();
    if (!has_architecture(request_, implementation)) return trial;
    KernelSource& source = sources_[&implementation];
    if (source.text.empty()) source = read_source(implementation);
    compilers_.submit(i, compile_request(request_, source, candidate));
    const auto compiled = compilers_.wait_for(i, stop_);
    if (!compiled) return trial;
    const CompileResult& code = *compiled;
    trial.ended_s = elapsed_.total_s();
    trial.code_hash = code.code_hash;
    trial.compile_ms = code.milliseconds;
    trial.outcome = code.outcome;
    trial.message = code.ok() ? "" : code.log;
    if (!code.ok()) return trial;
    const LaunchPlan launches =
        plan_problem(request_, implementation, candidate.configuration, request_.problem);
    if (const auto failure = missing_entry_failure(launches, code)) {
      trial.outcome = failure->outcome;
      trial.message = failure->message;
    }
    trial.resources =
        costliest(resources_by_launch(launches, code, request_.backend, request_.device));
    return trial;
  }

  FinalResult measure(const std::vector<Screened>& able) {
    submit_services(request_, compilers_);
    const auto services = wait_for_services(request_, compilers_, stop_);
    if (!services) return {};
    open_session(request_, *services, request_.seed, {"", request_.device_index, &evaluator_});
    Candidates candidates;
    for (const Candidate& candidate : list_)
      candidates.add(*candidate.implementation, Configurations(candidate.configuration));
    ContestRules rules = request_.final.contest;
    rules.seed = request_.seed;
    rules.rounds_before_drop = rules.maximum_rounds;
    const auto compile = [this](std::size_t i) {
      return compile_request(request_, sources_.at(list_[i].implementation), list_[i]);
    };
    const FinalContext context{candidates, compile, compilers_, inspector_, judge_, stop_};
    settle({able.front()}, context);
    return run_final(able, rules, context);
  }

  const SweepRequest& request_;
  const std::vector<Candidate>& list_;
  CompileAhead compilers_;
  Evaluator& evaluator_;
  const std::atomic<bool>& stop_;
  Elapsed elapsed_{request_.done};
  Inspector inspector_;
  Judge judge_;
  std::map<const Implementation*, KernelSource> sources_;
};

}  // namespace

std::vector<Trial> remeasure(const SweepRequest& request, const std::vector<Candidate>& candidates,
                             CompileQueue& compilers, Evaluator& evaluator,
                             const std::atomic<bool>& stop) {
  return Remeasurement(request, candidates, compilers, evaluator, stop).run();
}

}  // namespace tilewright
