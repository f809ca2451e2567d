#include <algorithm>
#include <ostream>
#include <set>

#include "db/derived/derive.hpp"
#include "db/ladder/ladder.hpp"
#include "definition/architecture.hpp"
#include "definition/problem.hpp"
#include "runtime/bundle_maker.hpp"
#include "tools/input/lookup.hpp"
#include "tools/print/text.hpp"
#include "tools/results/portfolio.hpp"

namespace tilewright::tools {
namespace {

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
