#include "tools/results/explanation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "campaign/sweep_report.hpp"
#include "definition/architecture.hpp"
#include "definition/problem.hpp"
#include "tilewright/error.hpp"
#include "tools/show/subject.hpp"
#include "tuner/space/limits.hpp"
#include "tuner/space/space.hpp"

namespace tilewright::tools {
namespace {

std::string broken_limit(const Tile& tile) {
  const Scope scope = full_scope(tile.problem, tile.configuration, tile.device);
  try {
    const auto violation =
        static_violation(*tile.implementation, launches_of(tile), scope, tile.device);
    return violation ? violation->rule + ": " + violation->message : "";
  } catch (const InputError& error) {
    return error.what();
  }
}

std::string missing_architecture(const Tile& tile) {
  const std::string here = architecture_of(tile.device);
  const std::string& needed = tile.implementation->requires_architecture;
  if (architecture_for(needed, here)) return "";
  return fmt::format("{} needs {}, and {} is {}", tile.implementation->full_name(), needed,
                     tile.device.name, here);
}

FoundOut found_by(const SweepRecord& sweep, const std::vector<Trial>& trials, const Tile& tile) {
  FoundOut found;
  found.sweep = sweep;
  std::map<std::pair<std::string, Configuration>, double> times;  // the last one of each
  const std::pair own(tile.implementation->full_name(), tile.configuration);
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const std::pair one(trials[i].implementation, trials[i].configuration);
    if (one == own) {
      found.number = i + 1;
      found.trial = trials[i];
    }
    if (trials[i].timing) times[one] = median_of(trials[i]);
  }
  found.timed = times.size();
  for (const auto& [name, us] : times)
    found.best_us = found.best_us == 0 ? us : std::min(found.best_us, us);
  if (const auto timed = times.find(own); timed != times.end())
    found.rank = 1 + static_cast<std::size_t>(std::ranges::count_if(
                         times, [&](const auto& one) { return one.second < timed->second; }));
  return found;
}

std::size_t distance_between(const Implementation& implementation, const Configuration& one,
                             const Configuration& other) {
  return static_cast<std::size_t>(
      std::ranges::count_if(implementation.parameters, [&](const Parameter& parameter) {
        const Value* const left = find_value(one, parameter);
        const Value* const right = find_value(other, parameter);
        return (left == nullptr) != (right == nullptr) ||
               (left != nullptr && right != nullptr && *left != *right);
      }));
}

// What the newest sweep that tried a configuration found out about it.
struct Known {
  double median_us = 0;
  Outcome outcome = Outcome::measured;
};

std::vector<Neighbour> nearest(const Tile& tile, const std::map<Configuration, Known>& known,
                               std::size_t most) {
  const Space space = build_space(*tile.operation, *tile.implementation, tile.problem, tile.device);
  const auto is_before = [](const Neighbour& a, const Neighbour& b) {
    const auto key = [](const Neighbour& one) {
      return std::tuple(one.distance, one.median_us == 0, one.median_us);
    };
    return key(a) < key(b);
  };
  std::vector<Neighbour> best;
  for (std::size_t i = 0; i < space.legal.size(); ++i) {
    Neighbour one{space.legal[i], 0, 0};
    one.distance = distance_between(*tile.implementation, tile.configuration, one.configuration);
    if (one.distance == 0 || (best.size() == most && one.distance > best.back().distance)) continue;
    if (const auto found = known.find(one.configuration); found != known.end()) {
      one.median_us = found->second.median_us;
      one.outcome = found->second.outcome;
    }
    best.insert(std::ranges::upper_bound(best, one, is_before), std::move(one));
    if (best.size() > most) best.pop_back();
  }
  return best;
}

}  // namespace

Explanation explain(const Tile& tile, const Store* store, std::size_t most_neighbours) {
  Explanation result;
  result.architecture = missing_architecture(tile);
  result.broken_rules = broken_rules(tile.implementation->full_name(), *tile.implementation,
                                     tile.configuration, tile.problem, tile.device);
  if (result.broken_rules.empty()) result.broken_limit = broken_limit(tile);
  result.default_is_legal =
      broken_rules(tile.implementation->full_name(), *tile.implementation,
                   default_configuration(*tile.implementation), tile.problem, tile.device)
          .empty();
  std::map<Configuration, Known> known;
  Query query;
  query.operation = tile.operation->name;
  query.problem = tile.problem;
  query.device = tile.device;
  std::vector<SweepRecord> sweeps =
      store == nullptr ? std::vector<SweepRecord>{} : store->sweeps(query);
  std::ranges::reverse(sweeps);
  for (const SweepRecord& sweep : sweeps) {
    if (std::ranges::find(sweep.key.implementations, tile.implementation->full_name(),
                          &ImplementationKey::name) == sweep.key.implementations.end())
      continue;
    const std::vector<Trial> trials = store->trials(sweep.id);
    result.sweeps.push_back(found_by(sweep, trials, tile));
    std::map<Configuration, Known> own;
    for (const Trial& trial : trials)
      if (trial.implementation == tile.implementation->full_name())
        own[trial.configuration] = {median_of(trial), trial.outcome};
    known.merge(own);  // what is there already stays
  }
  result.neighbours = nearest(tile, known, most_neighbours);
  return result;
}

}  // namespace tilewright::tools
