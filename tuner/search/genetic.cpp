#include "tuner/search/strategy.hpp"

#include <algorithm>
#include <utility>

#include "tuner/search/shuffle.hpp"

namespace tilewright {
namespace {

constexpr std::size_t kParents = 20;
constexpr int kTries = 100;  // for a child that is a new candidate

class GeneticStrategy : public Strategy {
 public:
  explicit GeneticStrategy(SearchProblem problem)
      : Strategy(std::move(problem)), neighbours_(grid()) {}

 protected:
  std::size_t choose() override {
    if (known().size() < kParents || parents_.size() < 2 || grid().size() == 0)
      return random_untaken();
    for (int i = 0; i < kTries; ++i) {
      const std::size_t candidate = child();
      if (candidate < count() && !is_taken(candidate)) return candidate;
    }
    return random_untaken();
  }

  void learn(const Known& known) override {
    if (!known.cost) return;
    const auto place =
        std::upper_bound(parents_.begin(), parents_.end(), known,
                         [](const Known& a, const Known& b) { return *a.cost < *b.cost; });
    parents_.insert(place, known);
    if (parents_.size() > kParents) parents_.pop_back();
  }

 private:
  // The better of two.
  std::size_t parent() {
    const auto first = below(parents_.size(), random());
    const auto second = below(parents_.size(), random());
    return parents_[static_cast<std::size_t>(std::min(first, second))].candidate;
  }

  // count(): not a candidate
  std::size_t child() {
    const auto mother = grid().of(parent());
    const auto father = grid().of(parent());
    std::vector<std::uint16_t> levels(mother.begin(), mother.end());
    for (std::size_t axis = 0; axis < levels.size(); ++axis) {
      if (below(2, random()) == 0) levels[axis] = father[axis];
      if (levels[axis] != SearchGrid::kAbsent && below(levels.size(), random()) == 0)
        levels[axis] = static_cast<std::uint16_t>(below(grid().axes[axis].labels.size(), random()));
    }
    return neighbours_.find(levels);
  }

  Neighbours neighbours_;
  std::vector<Known> parents_;  // by cost
};

}  // namespace

std::unique_ptr<Strategy> make_genetic_strategy(SearchProblem problem) {
  return std::make_unique<GeneticStrategy>(std::move(problem));
}

}  // namespace tilewright
