#include "tools/run/left_out.hpp"

#include <algorithm>
#include <cmath>

namespace tilewright::tools {
namespace {

// Its index in the view; nothing if it was never tried.
std::optional<std::size_t> index_of(const PortfolioView& view, const LadderAnswer& answer) {
  for (std::size_t i = 0; i < view.configurations.size(); ++i)
    if (view.implementations[i] == answer.implementation &&
        view.configurations[i] == answer.configuration)
      return i;
  return std::nullopt;
}

std::size_t place_of(const PortfolioView& view, const TunedProblem& tuned) {
  const auto found =
      std::ranges::find_if(view.losses.problems, [&tuned](const TunedProblem& known) {
        return known.problem == tuned.problem && known.policy == tuned.policy;
      });
  return static_cast<std::size_t>(found - view.losses.problems.begin());
}

}  // namespace

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

bool measure_left_out(const Target& target, const PortfolioView& view, const LeftOutProblem& left,
                      const PairBench& bench) {
  if (!left.answer || ratio_on_record(view, left)) return true;
  std::vector<Candidate> candidates = {{left.answer->implementation, left.answer->configuration}};
  if (const auto fastest = fastest_for(view, place_of(view, left.tuned)))
    candidates.insert(candidates.begin(),
                      {view.implementations[*fastest], view.configurations[*fastest]});
  return measure_beside(target, left.tuned, candidates, bench);
}

std::optional<double> ratio_on_record(const PortfolioView& view, const LeftOutProblem& left) {
  const auto configuration = left.answer ? index_of(view, *left.answer) : std::nullopt;
  if (!configuration) return std::nullopt;
  return ratio_of(view.wish.times[*configuration], place_of(view, left.tuned));
}

WorkloadLosses losses_of(const std::string& workload, const std::vector<LeftOutProblem>& problems) {
  WorkloadLosses losses{workload, problems.size()};
  std::vector<double> ratios;
  double logarithms = 0;
  for (const LeftOutProblem& left : problems) {
    if (!left.ratio) continue;
    ratios.push_back(*left.ratio);
    logarithms += std::log(*left.ratio);
  }
  losses.known = ratios.size();
  if (ratios.empty()) return losses;
  std::ranges::sort(ratios);
  losses.mean = std::expm1(logarithms / static_cast<double>(ratios.size()));
  losses.most_of_ten = ratios[(ratios.size() * 9 + 9) / 10 - 1] - 1;
  losses.worst = ratios.back() - 1;
  return losses;
}

}  // namespace tilewright::tools
