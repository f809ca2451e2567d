#include "tuner/search/strategy.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>

#include "definition/text/suggest.hpp"
#include "tilewright/error.hpp"
#include "tilewright/statistics.hpp"
#include "tuner/search/model.hpp"
#include "tuner/search/shuffle.hpp"

namespace tilewright {
namespace {

constexpr std::size_t kPriorsFirst = 8;                    // proposed before anything is learned
constexpr std::uint64_t kSeedStride = 0x9E3779B97F4A7C15;  // odd, so that seeds stay different

// The best candidates of other sweeps, without duplicates.
std::vector<std::size_t> best_of(const std::vector<PriorTrial>& priors) {
  std::vector<PriorTrial> measured = priors;
  std::erase_if(measured, [](const PriorTrial& prior) { return !prior.ratio; });
  std::ranges::stable_sort(measured, {}, [](const PriorTrial& prior) { return *prior.ratio; });
  std::vector<std::size_t> best;
  for (const PriorTrial& prior : measured)
    if (best.size() < kPriorsFirst && !is_among(prior.candidate, best))
      best.push_back(prior.candidate);
  return best;
}

constexpr std::string_view kModelWith = "model:";

std::vector<std::size_t> ascending(std::size_t count) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

std::vector<std::size_t> shuffled(std::size_t count, std::uint64_t seed) {
  std::vector<std::size_t> order = ascending(count);
  std::mt19937_64 random(seed);
  shuffle(order, random);
  return order;
}

// Proposes those worth trying first, then the others in a fixed order.
class FixedOrder : public Strategy {
 public:
  FixedOrder(SearchProblem problem, std::vector<std::size_t> rest)
      : Strategy(std::move(problem)), rest_(std::move(rest)) {}

 protected:
  std::size_t choose() override {
    while (is_taken(rest_[next_])) ++next_;
    return rest_[next_];
  }

 private:
  std::vector<std::size_t> rest_;
  std::size_t next_ = 0;
};

std::unique_ptr<Strategy> in_order(SearchProblem problem, std::vector<std::size_t> order) {
  problem.priors.clear();
  problem.suggested.clear();
  return std::make_unique<FixedOrder>(std::move(problem), std::move(order));
}

// The only list of strategies.
struct Entry {
  const char* name;
  bool learns;
  std::unique_ptr<Strategy> (*make)(SearchProblem problem);
};
constexpr std::array kStrategies = std::to_array<Entry>({
    {"exhaustive", false,
     [](SearchProblem problem) {
       const std::size_t count = problem.count;
       return in_order(std::move(problem), ascending(count));
     }},
    {"random", false,
     [](SearchProblem problem) {
       auto order = shuffled(problem.count, problem.seed);
       return in_order(std::move(problem), std::move(order));
     }},
    {"model", true,
     [](SearchProblem problem) -> std::unique_ptr<Strategy> {
       return std::make_unique<ModelStrategy>(std::move(problem));
     }},
});

}  // namespace

bool is_faster(const Known& a, const Known& b) {
  return a.cost && (!b.cost || *a.cost < *b.cost);
}

Strategy::Strategy(SearchProblem problem)
    : problem_(std::move(problem)),
      random_(problem_.seed),
      taken_(problem_.count, false),
      told_(problem_.count, false) {
  const std::vector<std::size_t> best = best_of(problem_.priors);
  for (const auto& more : {best, problem_.suggested})
    problem_.first.insert(problem_.first.end(), more.begin(), more.end());
}

std::vector<std::size_t> Strategy::propose(std::size_t most) {
  std::vector<std::size_t> proposed;
  const std::size_t budget = problem_.budget == 0 ? problem_.count : problem_.budget + duplicates_;
  while (proposed.size() < most && taken_count_ < std::min(budget, problem_.count)) {
    while (next_first_ < problem_.first.size() && taken_[problem_.first[next_first_]])
      ++next_first_;
    stir(taken_count_);
    const bool has_first = next_first_ < problem_.first.size();
    proposed.push_back(has_first ? problem_.first[next_first_] : choose());
    take(proposed.back());
    pending_.push_back(proposed.back());
  }
  return proposed;
}

void Strategy::tell(std::size_t candidate, const Trial& trial) {
  take(candidate);
  if (told_[candidate]) return;
  told_[candidate] = true;
  const std::string& code = trial.code_hash;
  if (trial.outcome == Outcome::duplicate) {
    ++duplicates_;
    const auto same = cost_by_code_.find(code);
    if (same != cost_by_code_.end())
      learn_of(candidate, same->second);
    else
      waiting_.emplace(code, candidate);
    return;
  }
  std::optional<double> cost;
  if (trial.outcome == Outcome::measured && mean_time_us(trial) > 0)
    cost = std::log(mean_time_us(trial));
  learn_of(candidate, cost);
  // Records know code without its launches, so one with another launch may have failed or be ruled
  // out where this one did not.
  if (code.empty() || trial.outcome == Outcome::pruned) return;
  if (cost || !cost_by_code_.contains(code)) cost_by_code_[code] = cost;
  const auto [first, last] = waiting_.equal_range(code);
  for (auto same = first; same != last; ++same) learn_of(same->second, cost);
  waiting_.erase(first, last);
}

void Strategy::learn_of(std::size_t candidate, std::optional<double> cost) {
  std::erase(pending_, candidate);
  known_.push_back({candidate, cost});
  if (cost && (!best_ || *cost < *known_[*best_].cost)) best_ = known_.size() - 1;
  stir(taken_count_ + problem_.count);  // other random numbers than in propose()
  learn(known_.back());
}

const Known* Strategy::best() const {
  return best_ ? &known_[*best_] : nullptr;
}

std::size_t Strategy::random_untaken() {
  constexpr int tries = 64;
  for (int i = 0; i < tries; ++i) {
    const auto drawn = static_cast<std::size_t>(below(count(), random_));
    if (!taken_[drawn]) return drawn;
  }
  auto skip = below(untaken(), random_);
  for (std::size_t i = 0;; ++i)
    if (!taken_[i] && skip-- == 0) return i;
}

void Strategy::stir(std::uint64_t number) {
  random_.seed(problem_.seed * kSeedStride + number);
}

void Strategy::take(std::size_t candidate) {
  if (taken_.at(candidate)) return;
  taken_[candidate] = true;
  ++taken_count_;
}

std::unique_ptr<Strategy> make_strategy(const std::string& name, SearchProblem problem) {
  if (const Entry* const found = find_named(kStrategies, name))
    return found->make(std::move(problem));
  if (name.starts_with(kModelWith))
    return std::make_unique<ModelStrategy>(std::move(problem),
                                           model_options(name.substr(kModelWith.size())));
  throw InputError("unknown strategy '" + name + "'" + suggestion(name, strategy_names()));
}

bool is_learning(const std::string& strategy) {
  return std::ranges::none_of(
      kStrategies, [&](const Entry& entry) { return strategy == entry.name && !entry.learns; });
}

std::vector<std::string> strategy_names() {
  return names_of(kStrategies, &Entry::name);
}

}  // namespace tilewright
