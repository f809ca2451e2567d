#include "tools/results/portfolio.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "db/derived/derive.hpp"
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

// Its index in the view; nothing if it was never tried.
std::optional<std::size_t> index_of(const PortfolioView& view, const LadderAnswer& answer) {
  for (std::size_t i = 0; i < view.configurations.size(); ++i)
    if (view.implementations[i] == answer.implementation &&
        view.configurations[i] == answer.configuration)
      return i;
  return std::nullopt;
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

std::size_t place_of(const PortfolioView& view, const TunedProblem& tuned) {
  const auto found =
      std::ranges::find_if(view.losses.problems, [&tuned](const TunedProblem& known) {
        return known.problem == tuned.problem && known.policy == tuned.policy;
      });
  return static_cast<std::size_t>(found - view.losses.problems.begin());
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

LeftOutProblem leave_out(const Target& target, const PortfolioView& view, const LookUpRows& rows,
                         std::size_t tuned) {
  LeftOutProblem left;
  left.tuned = view.losses.problems[tuned];
  const Problem& problem = left.tuned.problem;
  std::vector<BestRow> others = rows.rows;
  std::erase_if(others, [&problem](const BestRow& row) { return row.problem == problem; });
  std::vector<PortableRow> portable = portable_without(problem, view.losses, view.device);
  for (const PortableRow& row : rows.portable)
    if (row.device != view.device) portable.push_back(row);
  const LadderQuestion question{&target.operation(), target.implementations, problem, view.device,
                                left.tuned.policy.cache};
  left.answer = climb(question, std::move(others), std::move(portable));
  return left;
}

std::optional<double> ratio_on_record(const PortfolioView& view, const LeftOutProblem& left) {
  const auto configuration = left.answer ? index_of(view, *left.answer) : std::nullopt;
  if (!configuration) return std::nullopt;
  return ratio_of(view.wish.times[*configuration], place_of(view, left.tuned));
}

Losses losses_of(std::vector<double> ratios) {
  Losses losses;
  losses.known = ratios.size();
  if (ratios.empty()) return losses;
  double logarithms = 0;
  for (const double ratio : ratios) logarithms += std::log(ratio);
  std::ranges::sort(ratios);
  losses.mean = std::expm1(logarithms / static_cast<double>(ratios.size()));
  losses.most_of_ten = ratios[(ratios.size() * 9 + 9) / 10 - 1] - 1;
  losses.worst = ratios.back() - 1;
  return losses;
}

WorkloadLosses losses_of(const std::string& workload, const std::vector<LeftOutProblem>& problems) {
  std::vector<double> ratios;
  for (const LeftOutProblem& left : problems)
    if (left.ratio) ratios.push_back(*left.ratio);
  return {losses_of(std::move(ratios)), workload, problems.size()};
}

}  // namespace tilewright::tools
