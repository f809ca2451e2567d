#include "tuner/sweep/run/final.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
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

// Times of a screened candidate or of several, corrected to the start of the sweep.
struct NormalTimes {
  double us = 0;
  std::optional<double> warm_us;
};

NormalTimes times_of(const Screened& item) {
  NormalTimes times{item.normal_us, std::nullopt};
  if (const auto& warm = item.trial.warm_timing)
    times.warm_us = warm->median_us * item.normal_us / item.trial.timing->median_us;
  return times;
}

// As mean_time_us().
double mean_us(const NormalTimes& times) {
  return times.warm_us ? std::sqrt(times.us * *times.warm_us) : times.us;
}

// By implementation, the least of each.
std::map<std::string, NormalTimes> fastest_of(const std::vector<Screened>& measured) {
  std::map<std::string, NormalTimes> fastest;
  for (const Screened& item : measured) {
    const NormalTimes times = times_of(item);
    NormalTimes& least = fastest.try_emplace(item.trial.implementation, times).first->second;
    least.us = std::min(least.us, times.us);
    if (times.warm_us)
      least.warm_us = std::min(least.warm_us.value_or(*times.warm_us), *times.warm_us);
  }
  return fastest;
}

// The worse ratio of those that it has.
double behind(const Screened& item, const NormalTimes& fastest) {
  const NormalTimes times = times_of(item);
  const double ratio = times.us / fastest.us;
  return times.warm_us ? std::max(ratio, *times.warm_us / *fastest.warm_us) : ratio;
}

// Settings that occurred so far, by implementation.
class SeenSettings {
 public:
  // Whether one of the trial's settings is new.
  bool add(const Trial& trial) {
    bool is_new = false;
    for (const auto& [name, value] : trial.configuration.values)
      is_new |= seen_.insert({trial.implementation, name, to_text(value)}).second;
    return is_new;
  }

 private:
  std::set<std::tuple<std::string, std::string, std::string>> seen_;
};

// A screened trial as a trial of the final, without what is measured again.
Trial begin_final(Trial trial) {
  trial.stage = Stage::final;
  trial.verification.reset();
  trial.timing.reset();
  trial.warm_timing.reset();
  trial.message.clear();
  return trial;
}

}  // namespace

Trial at_the_start(Trial trial, double normal_us) {
  if (!trial.timing || normal_us <= 0) return trial;
  const double factor = normal_us / trial.timing->median_us;
  for (auto* timing : {&trial.timing, &trial.warm_timing})
    if (*timing) (*timing)->median_us *= factor;
  return trial;
}

Screened judged(Screened item, const std::optional<Objective>& objective) {
  if (!objective) return item;
  item.trial = objective->in_place_of_time(at_the_start(std::move(item.trial), item.normal_us));
  item.normal_us = item.trial.timing ? item.trial.timing->median_us : 0;
  return item;
}

std::vector<Screened> choose_finalists(const std::vector<Screened>& screened,
                                       const FinalRules& rules, Load load) {
  std::vector<Screened> sorted;
  for (const Screened& item : screened)
    if (item.trial.outcome == Outcome::measured && item.trial.timing) sorted.push_back(item);
  const auto fastest = fastest_of(sorted);
  const auto rank = [&](const Screened& item) {
    return std::tuple(std::string_view(item.trial.implementation),
                      behind(item, fastest.at(item.trial.implementation)), item.candidate);
  };
  std::ranges::sort(sorted, {}, rank);
  double fastest_us = std::numeric_limits<double>::infinity();
  for (const auto& [implementation, times] : fastest)
    fastest_us = std::min(fastest_us, mean_us(times));
  struct Taken {
    std::size_t count = 0;
    std::size_t for_settings = 0;
    double best = 0;  // ratio
  };
  std::map<std::string, Taken> all;
  SeenSettings seen;
  std::vector<Screened> finalists;
  for (const Screened& item : sorted) {
    const std::string& implementation = item.trial.implementation;
    const double ratio = behind(item, fastest.at(implementation));
    Taken& taken = all.try_emplace(implementation, Taken{.best = ratio}).first->second;
    const bool is_close = ratio <= rules.admitted_over * taken.best;
    const bool has_new_setting = seen.add(item.trial);
    const bool is_hopeless =
        mean_us(fastest.at(implementation)) > rules.contest.hopeless_over * fastest_us;
    const std::size_t usual = load != Load::usual ? rules.most_under_load : rules.most;
    const std::size_t most = is_hopeless ? std::min<std::size_t>(usual, 1) : usual;
    const bool is_in = taken.count < (is_close ? most : std::min(rules.least, most));
    const bool joins = load != Load::usual && !is_in && is_close && has_new_setting &&
                       !is_hopeless && taken.for_settings < rules.most_for_settings;
    if (is_in) ++taken.count;
    if (joins) ++taken.for_settings;
    if (is_in || joins || item.is_default) finalists.push_back(item);
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

Load settle(const std::vector<Screened>& finalists, const FinalContext& context) {
  const auto fastest = std::ranges::min_element(finalists, {}, &Screened::normal_us);
  if (fastest == finalists.end()) return Load::usual;
  const auto kernels = compile_all({*fastest}, context);
  return kernels.empty() ? Load::usual : context.judge.settle(kernels.begin()->second);
}

FinalResult run_final(std::vector<Screened> finalists, const ContestRules& rules,
                      const FinalContext& context) {
  FinalResult result;
  const auto kernels = compile_all(finalists, context);
  if (context.stop) return {};
  std::erase_if(finalists, [&](const Screened& item) { return !kernels.contains(item.candidate); });
  std::ranges::sort(finalists, {}, &Screened::candidate);
  Contest contest(contestants_of(finalists), rules);
  for (Screened& item : finalists) result.trials.push_back(begin_final(std::move(item.trial)));
  result.summary.finalists = finalists.size();
  const Elapsed spent({});

  // False if it was stopped.
  const auto measure = [&](const std::vector<std::size_t>& round) {
    for (const std::size_t i : round) {
      if (context.stop) return false;
      Trial& trial = result.trials[i];
      const auto verify = trial.verification ? Judge::Verify::no : Judge::Verify::yes;
      context.judge.measure(trial, kernels.at(finalists[i].candidate), rules.samples, verify);
    }
    return true;
  };

  for (auto round = contest.next_round(0); !round.empty();
       round = contest.next_round(spent.this_run_s())) {
    if (!measure(round)) break;
    ++result.summary.rounds;
    for (const std::size_t i : round) {
      if (result.trials[i].timing) {
        contest.take(i, result.trials[i]);
      } else {
        contest.withdraw(i);
      }
    }
  }
  if (context.stop && result.summary.rounds == 0) return {};

  for (std::size_t i = 0; i < result.trials.size(); ++i)
    if (result.trials[i].outcome == Outcome::measured) contest.give(i, result.trials[i]);
  result.summary.seconds = spent.this_run_s();
  result.summary.end = contest.is_settled()                       ? "settled"
                       : contest.rounds() >= rules.maximum_rounds ? "rounds"
                                                                  : "time";
  return result;
}

}  // namespace tilewright
