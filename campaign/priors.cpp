#include "campaign/priors.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "campaign/texts.hpp"
#include "db/ladder/distance.hpp"
#include "db/ladder/question.hpp"
#include "definition/general.hpp"
#include "definition/problem.hpp"
#include "tilewright/error.hpp"
#include "tilewright/statistics.hpp"
#include "tuner/search/strategy.hpp"

namespace tilewright {
namespace {

constexpr std::size_t kMostSources = 4;
constexpr std::size_t kMostShipped = 8;
constexpr std::size_t kMostGeneral = 3;  // of each implementation

std::vector<PriorSource> nearest_sources(const Store& store, const SweepRequest& request,
                                         std::string& left_out) {
  std::vector<PriorSource> sources;
  const auto here = Place::of(*request.operation, request.problem, request.device);
  if (!here) return sources;
  for (SweepRecord& sweep : store.sweeps({.operation = request.operation->name})) {
    if (sweep.finished == 0 || sweep.key.device.kind != request.device.kind) continue;
    try {
      check_problem(*request.operation, sweep.key.problem, sweep.key.device);
    } catch (const InputError& error) {  // of older definitions, or made up
      if (left_out.empty()) left_out = "sweep " + sweep.uuid + " is no prior: " + error.what();
      continue;
    }
    const auto there = Place::of(*request.operation, sweep.key.problem, request.device);
    if (there && there->is_same_class(*here))
      sources.push_back({std::move(sweep), there->distance_to(*here), 0});
  }
  const auto rank = [&](const PriorSource& source) {
    const SweepKey& key = source.sweep.key;
    return std::tuple(key.device != request.device,
                      key.device.compute_capability != request.device.compute_capability,
                      source.distance, key.policy != request.policy, -source.sweep.id);
  };
  std::ranges::stable_sort(sources, {}, rank);
  if (sources.size() > kMostSources) sources.resize(kMostSources);
  return sources;
}

bool is_wanted(const Trial& trial, const SweepRequest& request) {
  return trial.stage == Stage::screen && trial.outcome != Outcome::pruned &&
         trial.outcome != Outcome::duplicate && !may_be_of_machine(trial.outcome) &&
         find_implementation(request.implementations, trial.implementation) != nullptr;
}

// Different configurations.
std::vector<Suggestion> nearest_winners(const std::vector<BestRow>& shipped,
                                        const SweepRequest& request) {
  std::vector<Suggestion> winners;
  const auto here = Place::of(*request.operation, request.problem, request.device);
  if (!here) return winners;
  using Rank = std::tuple<bool, bool, bool, double>;
  std::vector<std::pair<Rank, const BestRow*>> ranked;
  for (const BestRow& row : shipped) {
    if (row.device.kind != request.device.kind ||
        find_implementation(request.implementations, row.implementation) == nullptr)
      continue;
    const auto there = Place::of(*request.operation, row.problem, request.device);
    if (!there) continue;
    ranked.push_back({{row.device != request.device,
                       row.device.compute_capability != request.device.compute_capability,
                       !there->is_same_class(*here), there->distance_to(*here)},
                      &row});
  }
  std::ranges::stable_sort(ranked, {}, [](const auto& item) { return item.first; });
  for (const auto& item : ranked) {
    const BestRow& row = *item.second;
    const auto is_taken = [&](const Suggestion& one) {
      return one.implementation == row.implementation && one.configuration == row.configuration;
    };
    if (winners.size() < kMostShipped && std::ranges::none_of(winners, is_taken))
      winners.push_back({row.implementation, row.configuration});
  }
  return winners;
}

void add_general(const Implementation& implementation, const SweepRequest& request,
                 std::vector<Suggestion>& suggestions) {
  const auto general = general_of(implementation);
  GeneralConfigurations::Judge judge(*general, request.problem, request.device);
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t i = 0; i < judge.count(); ++i)
    if (const double cycles = judge.cycles(i); cycles != no_cost) order.emplace_back(cycles, i);
  std::ranges::sort(order);
  std::set<Configuration> taken;  // several may mean the same for this problem
  for (const auto& [cycles, i] : order) {
    if (taken.size() == kMostGeneral) return;
    if (!judge.fits(i)) continue;
    if (auto configuration = judge.configuration(i);
        configuration && taken.insert(*configuration).second)
      suggestions.push_back({implementation.full_name(), *std::move(configuration)});
  }
}

}  // namespace

Priors find_priors(const Store& store, const std::vector<BestRow>& shipped,
                   const SweepRequest& request) {
  Priors priors;
  for (PriorSource& source : nearest_sources(store, request, priors.left_out)) {
    std::vector<Trial> trials = store.trials(source.sweep.id);
    std::erase_if(trials, [&](const Trial& trial) { return !is_wanted(trial, request); });
    double best_us = std::numeric_limits<double>::infinity();
    for (const Trial& trial : trials)
      if (trial.timing) best_us = std::min(best_us, mean_time_us(trial));
    for (const Trial& trial : trials)
      priors.trials.push_back(
          {trial.implementation, trial.configuration,
           trial.timing ? std::optional(mean_time_us(trial) / best_us) : std::nullopt});
    source.trials = trials.size();
    if (source.trials > 0) priors.sources.push_back(std::move(source));
  }
  priors.shipped = nearest_winners(shipped, request);
  for (const Implementation* one : request.implementations)
    add_general(*one, request, priors.general);
  return priors;
}

void give_priors(const Priors& priors, SweepRequest& request) {
  request.priors = priors.trials;
  request.suggested = priors.shipped;
  request.suggested.insert(request.suggested.end(), priors.general.begin(), priors.general.end());
}

bool may_use_priors(const SweepRequest& request) {
  return is_learning(request.strategy) && !request.objective;
}

nlohmann::json json_of(const Operation& operation, const Priors& priors, PriorUse use) {
  const auto json_of_source = [&](const PriorSource& source) -> nlohmann::json {
    return {{"sweep", source.sweep.uuid},
            {"problem", problem_text(operation, source.sweep.key.problem)},
            {"device", source.sweep.key.device.name},
            {"policy", to_text(source.sweep.key.policy)},
            {"distance", source.distance},
            {"trials", source.trials}};
  };
  return {{"use", use == PriorUse::none ? "none" : "stored"},
          {"sources", json_list(priors.sources, json_of_source)},
          {"shipped", priors.shipped.size()},
          {"general", priors.general.size()}};
}

}  // namespace tilewright
