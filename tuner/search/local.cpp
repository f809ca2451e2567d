#include "tuner/search/strategy.hpp"

#include <deque>
#include <utility>

#include "tuner/search/shuffle.hpp"

namespace tilewright {
namespace {

constexpr std::size_t kStarts = 10;  // at random, before the first climb
constexpr int kChanges = 3;          // of the best, for a restart

class LocalStrategy : public Strategy {
 public:
  explicit LocalStrategy(SearchProblem problem)
      : Strategy(std::move(problem)), neighbours_(grid()), started_at_(count()) {}

 protected:
  std::size_t choose() override {
    if (known().size() < kStarts || best() == nullptr) return random_untaken();
    if (!is_climbing_) move_to(best()->candidate, *best()->cost);
    while (!around_.empty()) {
      const std::size_t next = around_.front();
      around_.pop_front();
      if (!is_taken(next)) return next;
    }
    return restart();
  }

  void learn(const Known& known) override {
    const bool is_start = known.candidate == started_at_;
    if (is_start) started_at_ = count();
    if (known.cost && (is_start || (is_climbing_ && *known.cost < cost_)))
      move_to(known.candidate, *known.cost);
  }

 private:
  void move_to(std::size_t candidate, double cost) {
    is_climbing_ = true;
    cost_ = cost;
    std::vector<std::size_t> around;
    if (grid().size() > 0) around = neighbours_.around(candidate);
    shuffle(around, random());
    around_.assign(around.begin(), around.end());
  }

  std::size_t restart() {
    std::size_t place = best()->candidate;
    for (int i = 0; i < kChanges && grid().size() > 0; ++i) {
      const std::vector<std::size_t> around = neighbours_.around(place);
      if (around.empty()) break;
      place = around[static_cast<std::size_t>(below(around.size(), random()))];
    }
    if (is_taken(place)) place = random_untaken();
    started_at_ = place;
    return place;
  }

  Neighbours neighbours_;
  bool is_climbing_ = false;
  double cost_ = 0;                 // where the climb stands
  std::deque<std::size_t> around_;  // there, in the order in which they are tried
  std::size_t started_at_;          // a restart whose outcome is awaited; count(): none
};

}  // namespace

std::unique_ptr<Strategy> make_local_strategy(SearchProblem problem) {
  return std::make_unique<LocalStrategy>(std::move(problem));
}

}  // namespace tilewright
