#include "tuner/sweep/prepare/first_compiles.hpp"

#include <map>
#include <utility>

#include "tuner/plan/compile_request.hpp"
#include "tuner/sweep/compile_ahead.hpp"
#include "tuner/sweep/prepare/candidate_code.hpp"
#include "tuner/sweep/prepare/services.hpp"

namespace tilewright {
namespace {

// Keeps what is submitted.
class Collector final : public CompileQueue {
 public:
  void submit(std::size_t /*ticket*/, CompileRequest request) override {
    requests.push_back(std::move(request));
  }
  std::optional<Done> next(std::chrono::milliseconds) override { return std::nullopt; }
  std::vector<Moment> withdraw() override { return {}; }
  int processes() const override { return 1; }

  std::vector<CompileRequest> requests;
};

}  // namespace

std::unique_ptr<Strategy> make_search(const SweepRequest& request, const Candidates& candidates) {
  SearchProblem problem{
      candidates.size(),
      candidates.worth_trying_first(request.problem, request.device, request.where), request.seed,
      request.budget, candidates.grid()};
  for (const Prior& prior : request.priors)
    if (const auto candidate = candidates.find(prior.implementation, prior.configuration))
      problem.priors.push_back({*candidate, prior.ratio});
  for (const Suggestion& one : request.suggested)
    if (const auto candidate = candidates.find(one.implementation, one.configuration))
      problem.suggested.push_back(*candidate);
  return make_strategy(request.strategy, std::move(problem));
}

std::vector<CompileRequest> first_compiles(const SweepRequest& request,
                                           const std::vector<Space>& spaces, std::size_t most) {
  Candidates candidates;
  std::map<const Implementation*, KernelSource> sources;
  for (std::size_t i = 0; i < spaces.size(); ++i) {
    const Implementation& implementation = *request.implementations[i];
    candidates.add(implementation, spaces[i].legal);
    sources[&implementation] = read_source(implementation);
  }
  if (candidates.size() == 0) return {};
  Collector collector;
  CompileAhead services(collector);
  submit_services(request, services);
  for (const std::size_t index : make_search(request, candidates)->propose(most)) {
    const Candidate candidate = candidates[index];
    if (has_architecture(request, *candidate.implementation))
      collector.submit(index,
                       compile_request(request, sources.at(candidate.implementation), candidate));
  }
  return std::move(collector.requests);
}

}  // namespace tilewright
