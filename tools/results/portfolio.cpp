#include "tools/results/portfolio.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "db/derived/derive.hpp"
#include "db/ladder/ladder.hpp"
#include "definition/json/codec.hpp"
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
    view.configurations.push_back({settings_from_json(parse_document(tried.configuration))});
    view.implementations.push_back(implementation_of(target, tried));
    view.wish.times.push_back(fitting(view, view.configurations.size() - 1, filter));
  }
  hold_against_fastest(view.wish);
  return view;
}

std::optional<double> ratio_of(const std::vector<TimedPair>& pairs, std::size_t problem) {
  const auto found = std::ranges::find(pairs, problem, &TimedPair::problem);
  return found == pairs.end() ? std::nullopt : std::optional(found->ratio);
}

std::optional<std::size_t> fastest_for(const PortfolioView& view, std::size_t problem) {
  for (std::size_t i = 0; i < view.wish.times.size(); ++i)
    if (const auto ratio = ratio_of(view.wish.times[i], problem); ratio && *ratio <= 1) return i;
  return std::nullopt;
}

std::vector<MissingPairs> missing_pairs(const PortfolioView& view, const ChosenPortfolio& chosen) {
  std::set<std::size_t> worthy(chosen.configurations.begin(), chosen.configurations.end());
  for (std::size_t p = 0; p < view.wish.problems; ++p)
    if (const auto fastest = fastest_for(view, p)) worthy.insert(*fastest);
  std::vector<MissingPairs> all;
  for (std::size_t p = 0; p < view.wish.problems; ++p) {
    MissingPairs pairs{p, {}};
    for (const std::size_t i : worthy)
      if (!ratio_of(view.losses.times[i], p) &&
          fits(*view.implementations[i], view.configurations[i], view.losses.problems[p].problem,
               view.device))
        pairs.configurations.push_back(i);
    if (pairs.configurations.empty()) continue;
    if (const auto fastest = fastest_for(view, p))
      pairs.configurations.insert(pairs.configurations.begin(), *fastest);
    all.push_back(std::move(pairs));
  }
  return all;
}

std::vector<PortableRow> portable_without(const Problem& left_out, const LossTable& losses,
                                          const Device& device) {
  const auto tuned = std::ranges::count_if(
      losses.problems,
      [&left_out](const TunedProblem& problem) { return problem.problem != left_out; });
  std::vector<PortableRow> rows;
  for (const RankedConfiguration& ranked :
       keep_portable(losses, rank_portable(losses, &left_out))) {
    const TriedConfiguration& tried = losses.configurations[ranked.configuration];
    rows.push_back({device,
                    tried.implementation,
                    tried.epoch,
                    {settings_from_json(parse_document(tried.configuration))},
                    ranked.mean_ratio,
                    ranked.measured,
                    static_cast<std::size_t>(tuned),
                    tried.shared_bytes});
  }
  return rows;
}

}  // namespace tilewright::tools
