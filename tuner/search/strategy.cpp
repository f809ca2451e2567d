#include "tuner/search/strategy.hpp"

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
class FixedOrder : public LearningStrategy {
 public:
  FixedOrder(SearchProblem problem, std::vector<std::size_t> rest)
      : LearningStrategy(std::move(problem)), rest_(std::move(rest)) {}

 protected:
  std::size_t choose() override {
    while (is_taken(rest_[next_])) ++next_;
    return rest_[next_];
  }

 private:
  std::vector<std::size_t> rest_;
  std::size_t next_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> make_strategy(const std::string& name, SearchProblem problem) {
  if (!is_learning(name)) {
    auto order =
        name == "random" ? shuffled(problem.count, problem.seed) : ascending(problem.count);
    problem.priors.clear();
    return std::make_unique<FixedOrder>(std::move(problem), std::move(order));
  }
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
