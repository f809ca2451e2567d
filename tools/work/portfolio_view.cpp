// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tools/work/portfolio_view.hpp"

#include <algorithm>
#include <limits>

#include "db/ladder/ladder.hpp"
#include "definition/json/json.hpp"

namespace tilewright::tools {
namespace {

const Implementation* implementation_of(const Target& target, const TriedConfiguration& tried) {
  for (const Implementation* one : target.implementations)
    if (one->full_name() == tried.implementation && one->epoch == tried.epoch) return one;
  return nullptr;
}

std::vector<TimedPair> fitting(const PortfolioView& view, std::size_t configuration,
                               const PortfolioFilter& filter) {
  std::vector<TimedPair> pairs;
  const Implementation* implementation = view.implementations[configuration];
  if (implementation == nullptr) return pairs;
  const Configuration& values = view.configurations[configuration];
  for (const TimedPair& pair : view.losses.times[configuration]) {
    const Problem& problem = view.losses.problems[pair.problem].problem;
    if (fits(*implementation, values, problem, view.device) &&
        (!filter || filter(*implementation, values, problem)))
      pairs.push_back(pair);
  }
  return pairs;
}

void hold_against_fastest(PortfolioWish& wish) {
  std::vector<double> least(wish.problems, std::numeric_limits<double>::infinity());
  for (const auto& pairs : wish.times)
    for (const TimedPair& pair : pairs)
      least[pair.problem] = std::min(least[pair.problem], pair.ratio);
  for (auto& pairs : wish.times)
    for (TimedPair& pair : pairs) pair.ratio /= least[pair.problem];
}

}  // namespace

PortfolioView view_portfolio(const Target& target, const Device& device, const Store& store,
                             const PortfolioFilter& filter) {
  PortfolioView view;
  view.device = device;
  view.losses = store.losses(target.operation().name, device);
  view.wish.problems = view.losses.problems.size();
  for (const TriedConfiguration& tried : view.losses.configurations) {
    view.configurations.push_back({settings_from_json(Json::parse(tried.configuration))});
    view.implementations.push_back(implementation_of(target, tried));
    view.wish.times.push_back(fitting(view, view.configurations.size() - 1, filter));
  }
  hold_against_fastest(view.wish);
  return view;
}

std::optional<std::size_t> fastest_for(const PortfolioView& view, std::size_t problem) {
  for (std::size_t i = 0; i < view.wish.times.size(); ++i)
    for (const TimedPair& pair : view.wish.times[i])
      if (pair.problem == problem && pair.ratio <= 1) return i;
  return std::nullopt;
}

}  // namespace tilewright::tools
