#include "tools/results/portfolio.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>
#include <set>
#include <utility>

#include "db/derived/derive.hpp"
#include "definition/architecture.hpp"
#include "definition/json/codec.hpp"
#include "definition/json/json.hpp"
#include "definition/problem.hpp"
#include "runtime/bundle_maker.hpp"
#include "tools/input/lookup.hpp"
#include "tools/print/text.hpp"

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

// ---- What a bundle serves other problems with

bool is_compiled_in(const std::string& dimension, const Implementation& implementation,
                    const Scope& scope) {
  return std::ranges::any_of(implementation.compiled_in, [&](const CompiledIn& item) {
    return item.name == dimension && item.when.is_true(scope);
  });
}

// Whether at least half of the sizes are passed at launch. Code with more sizes compiled in serves
// few other problems.
bool is_for_many_sizes(const Operation& operation, const Implementation& implementation,
                       const Configuration& configuration, const Problem& problem,
                       const Device& device) {
  const Scope scope = full_scope(problem, configuration, device);
  std::size_t sizes = 0;
  std::size_t fixed = 0;
  for (const Dimension& dimension : operation.dimensions) {
    if (dimension.role != ProblemRole::distance) continue;
    ++sizes;
    if (is_compiled_in(dimension.name, implementation, scope)) ++fixed;
  }
  return 2 * fixed <= sizes;
}

// The fastest stored answer for a problem. Its verification holds for the whole sweep.
const BestRow* winner_of(const std::vector<BestRow>& rows, const TunedProblem& tuned) {
  const BestRow* winner = nullptr;
  for (const BestRow& row : rows)
    if (!row.superseded && row.problem == tuned.problem && row.policy == tuned.policy &&
        row.trial.timing &&
        (winner == nullptr || mean_time_us(row.trial) < mean_time_us(winner->trial)))
      winner = &row;
  return winner;
}

// The portfolio's configurations as answers for the tuned problems that they serve.
void add_rows(BundleSpares& spares, const PortfolioView& view, const ChosenPortfolio& chosen,
              const std::vector<BestRow>& stored) {
  for (std::size_t p = 0; p < chosen.serving.size(); ++p) {
    const TunedProblem& tuned = view.losses.problems[p];
    const BestRow* const winner = winner_of(stored, tuned);
    if (!chosen.serving[p] || winner == nullptr) continue;
    const std::size_t configuration = chosen.configurations[*chosen.serving[p]];
    BestRow row;
    row.implementation = view.implementations[configuration]->full_name();
    row.epoch = view.implementations[configuration]->epoch;
    row.configuration = view.configurations[configuration];
    row.trial.timing.emplace().median_us =
        ratio_of(view.losses.times[configuration], p).value_or(1) * tuned.best_us;
    row.trial.verification = winner->trial.verification;
    row.problem = tuned.problem;
    row.device = view.device;
    row.policy = tuned.policy;
    row.environment.power_limit_w = winner->environment.power_limit_w;
    row.finished = winner->finished;
    row.imported = winner->imported;
    spares.rows.push_back(std::move(row));
  }
}

// The portfolio in the order of the portable rung, and the defaults that it is compared with there.
void add_portable(BundleSpares& spares, const PortfolioView& view, const ChosenPortfolio& chosen) {
  const std::set<std::size_t> served(chosen.configurations.begin(), chosen.configurations.end());
  for (const RankedConfiguration& ranked : rank_portable(view.losses)) {
    const TriedConfiguration& tried = view.losses.configurations[ranked.configuration];
    if (!served.contains(ranked.configuration) && !tried.is_default) continue;
    spares.portable.push_back({view.device, tried.implementation, tried.epoch,
                               view.configurations[ranked.configuration], ranked.mean_ratio,
                               ranked.measured, view.losses.problems.size(), tried.shared_bytes});
  }
}

void report(std::ostream& out, const std::string& architecture, const PortfolioView& view,
            const ChosenPortfolio& chosen) {
  for (std::size_t k = 0; k < chosen.configurations.size(); ++k) {
    const std::size_t configuration = chosen.configurations[k];
    out << fmt::format("{:<8} {:<14} {}  {}\n", architecture, "portfolio",
                       view.implementations[configuration]->full_name(),
                       tilewright::to_text(view.configurations[configuration].values));
  }
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

void choose_spares(BundleSpares& spares, const Target& target, const Store* store,
                   std::ostream& out) {
  if (store == nullptr) return;
  const Operation& operation = target.operation();
  const PortfolioView view = view_portfolio(
      target, spares.device, *store,
      [&](const Implementation& implementation, const Configuration& configuration,
          const Problem& problem) {
        return is_for_many_sizes(operation, implementation, configuration, problem, spares.device);
      });
  const ChosenPortfolio chosen = choose_portfolio(view.wish);
  Query query = query_for(operation.name);
  query.device = spares.device;
  add_rows(spares, view, chosen, store->best(query));
  add_portable(spares, view, chosen);
  for (const TunedProblem& tuned : view.losses.problems)
    if (std::ranges::find(spares.problems, tuned.problem) == spares.problems.end())
      spares.problems.push_back(tuned.problem);
  report(out, architecture_of(spares.device), view, chosen);
}

}  // namespace tilewright::tools
