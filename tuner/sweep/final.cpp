#include "tuner/sweep/final.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace tilewright {
namespace {

std::map<std::size_t, KernelPlan> compile_all(const std::vector<Screened>& finalists,
                                              const FinalContext& context) {
  for (const Screened& item : finalists)
    context.compilers.submit(item.candidate, context.compile(item.candidate));
  std::map<std::size_t, KernelPlan> kernels;
  for (const Screened& item : finalists) {
    const auto code = context.compilers.wait_for(item.candidate, context.stop);
    if (!code) return {};
    if (code->ok())
      kernels[item.candidate] = context.inspector.plan(context.candidates[item.candidate], *code);
  }
  return kernels;
}

std::vector<Contestant> contestants_of(const std::vector<Screened>& finalists) {
  std::vector<Contestant> contestants;
  for (const Screened& item : finalists)
    contestants.push_back({item.trial.implementation, item.is_default
                                                          ? Contestant::Role::anchor
                                                          : Contestant::Role::challenger});
  return contestants;
}

// A screened trial as a trial of the final, without what is measured again.
Trial begin_final(Trial trial) {
  trial.stage = Stage::final;
  trial.verification.reset();
  trial.timing.reset();
  trial.warm_timing.reset();
  return trial;
}

}  // namespace

std::vector<Screened> choose_finalists(const std::vector<Screened>& screened,
                                       const FinalRules& rules) {
  std::vector<Screened> sorted;
  for (const Screened& item : screened)
    if (item.trial.outcome == Outcome::measured && item.trial.timing) sorted.push_back(item);
  std::sort(sorted.begin(), sorted.end(), [](const Screened& a, const Screened& b) {
    return std::tie(a.trial.implementation, a.normal_us, a.candidate) <
           std::tie(b.trial.implementation, b.normal_us, b.candidate);
  });
  std::map<std::string, std::pair<std::size_t, double>> taken;  // count, and the fastest
  std::vector<Screened> finalists;
  for (const Screened& item : sorted) {
    auto& [count, fastest] =
        taken.try_emplace(item.trial.implementation, std::size_t{0}, item.normal_us).first->second;
    const bool is_close = item.normal_us <= rules.admitted_over * fastest;
    const bool is_in = count < (is_close ? rules.most : std::min(rules.least, rules.most));
    if (is_in) ++count;
    if (is_in || item.is_default) finalists.push_back(item);
  }
  return finalists;
}

std::vector<Screened> named_after_first(std::vector<Screened> finalists,
                                        const std::vector<Screened>& screened,
                                        const Candidates& candidates, const Inspector& inspector) {
  const auto key = [&](const Screened& item) {
    return inspector.key(candidates[item.candidate], item.trial.code_hash);
  };
  std::map<std::string, Screened*> by_key;
  for (Screened& item : finalists) by_key[key(item)] = &item;
  for (const Screened& equal : screened) {
    if (equal.trial.outcome != Outcome::duplicate) continue;
    const auto at = by_key.find(key(equal));
    if (at == by_key.end()) continue;
    Screened& item = *at->second;
    if (item.is_default || (!equal.is_default && equal.candidate > item.candidate)) continue;
    item.candidate = equal.candidate;
    item.is_default = equal.is_default;
    item.trial.configuration = equal.trial.configuration;
  }
  return finalists;
}

FinalResult run_final(std::vector<Screened> finalists, const ContestRules& rules,
                      const FinalContext& context) {
  FinalResult result;
  const auto kernels = compile_all(finalists, context);
  if (context.stop) return {};
  std::erase_if(finalists, [&](const Screened& item) { return !kernels.contains(item.candidate); });
  std::sort(finalists.begin(), finalists.end(),
            [](const Screened& a, const Screened& b) { return a.candidate < b.candidate; });
  Contest contest(contestants_of(finalists), rules);
  for (Screened& item : finalists) result.trials.push_back(begin_final(std::move(item.trial)));
  result.summary.finalists = finalists.size();
  const auto start = std::chrono::steady_clock::now();
  const auto spent_s = [&start] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };

  for (auto round = contest.next_round(0); !round.empty(); round = contest.next_round(spent_s())) {
    for (const std::size_t i : round) {
      if (context.stop) return {};
      Trial& trial = result.trials[i];
      const auto verify = trial.verification ? Judge::Verify::no : Judge::Verify::yes;
      context.judge.measure(trial, kernels.at(finalists[i].candidate), rules.samples, verify);
      if (trial.timing) {
        contest.take(i, trial);
      } else {
        contest.withdraw(i);
      }
    }
  }

  for (std::size_t i = 0; i < result.trials.size(); ++i)
    if (result.trials[i].outcome == Outcome::measured) contest.give(i, result.trials[i]);
  result.summary.rounds = contest.rounds();
  result.summary.seconds = spent_s();
  result.summary.end = contest.is_settled()                       ? "settled"
                       : contest.rounds() >= rules.maximum_rounds ? "rounds"
                                                                  : "time";
  return result;
}

}  // namespace tilewright
