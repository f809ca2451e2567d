#include "tuner/search/strategy.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>

#include "definition/text/suggest.hpp"
#include "tilewright/error.hpp"
#include "tuner/search/model.hpp"
#include "tuner/search/shuffle.hpp"

namespace tilewright {
namespace {

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
  FixedOrder(const SearchProblem& problem, const std::vector<std::size_t>& rest)
      : order_(problem.first),
        taken_(problem.count, false),
        told_(problem.count, false),
        budget_(problem.budget == 0 ? problem.count : problem.budget) {
    order_.insert(order_.end(), rest.begin(), rest.end());
  }

  std::vector<std::size_t> propose(std::size_t most) override {
    std::vector<std::size_t> proposed;
    while (next_ < order_.size() && proposed.size() < most && count_ < budget_) {
      const std::size_t candidate = order_[next_++];
      if (take(candidate)) proposed.push_back(candidate);
    }
    return proposed;
  }

  void tell(std::size_t candidate, const Trial& trial) override {
    take(candidate);
    if (told_[candidate]) return;
    told_[candidate] = true;
    if (trial.outcome == Outcome::duplicate) --count_;
  }

 private:
  bool take(std::size_t candidate) {
    if (taken_.at(candidate)) return false;
    taken_[candidate] = true;
    ++count_;
    return true;
  }

  std::vector<std::size_t> order_;  // may name a candidate twice
  std::vector<bool> taken_;         // proposed, or known from an earlier sweep
  std::vector<bool> told_;
  std::size_t next_ = 0;
  std::size_t count_ = 0;
  std::size_t budget_;
};

}  // namespace

std::unique_ptr<Strategy> make_strategy(const std::string& name, SearchProblem problem) {
  if (name == "exhaustive") return std::make_unique<FixedOrder>(problem, ascending(problem.count));
  if (name == "random")
    return std::make_unique<FixedOrder>(problem, shuffled(problem.count, problem.seed));
  if (name == "local") return make_local_strategy(std::move(problem));
  if (name == "genetic") return make_genetic_strategy(std::move(problem));
  if (name == "model") return std::make_unique<ModelStrategy>(std::move(problem));
  if (name.starts_with(kModelWith))
    return std::make_unique<ModelStrategy>(std::move(problem),
                                           model_options(name.substr(kModelWith.size())));
  throw InputError("unknown strategy '" + name + "'" + suggestion(name, strategy_names()));
}

bool is_learning(const std::string& strategy) {
  return strategy != "exhaustive" && strategy != "random";
}

std::vector<std::string> strategy_names() {
  return {"exhaustive", "random", "local", "genetic", "model"};
}

}  // namespace tilewright
