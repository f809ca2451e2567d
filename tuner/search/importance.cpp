#include "tuner/search/importance.hpp"

#include <algorithm>
#include <numeric>

#include "tuner/search/features.hpp"
#include "tuner/search/forest.hpp"
#include "tuner/search/shuffle.hpp"

namespace tilewright {
namespace {

constexpr std::size_t kFewest = 20;
constexpr std::size_t kImportanceTrees = 100;

using ByTree = std::vector<double>;

// The mean squared error of every tree if each example has another example's value of `axis`.
ByTree errors(const SearchGrid& grid, const Features& features, const Forest& forest,
              const Examples& examples, const std::vector<Known>& known, std::size_t axis,
              const std::vector<std::size_t>& other) {
  ByTree total(forest.trees(), 0);
  std::vector<float> row(features.width());
  for (std::size_t i = 0; i < known.size(); ++i) {
    const auto own = grid.of(known[i].candidate);
    std::vector<std::uint16_t> levels(own.begin(), own.end());
    levels[axis] = grid.of(known[other[i]].candidate)[axis];
    features.write(levels, row);
    for (std::size_t tree = 0; tree < total.size(); ++tree) {
      const double error = forest.predict_with(tree, row) - examples.targets[i];
      total[tree] += error * error / static_cast<double>(known.size());
    }
  }
  return total;
}

double at_share(const ByTree& sorted, double share) {
  return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

}  // namespace

std::vector<Importance> importance_of(const SearchGrid& grid, const std::vector<Known>& known,
                                      std::uint64_t seed) {
  std::vector<Known> measured = known;
  std::erase_if(measured, [](const Known& item) { return !item.cost; });
  if (measured.size() < kFewest || grid.axes.empty()) return {};
  std::mt19937_64 random(seed);
  const Features features(grid);
  const Examples examples = examples_of(measured, features);
  const Forest forest = Forest::fit(examples, {.trees = kImportanceTrees}, random);
  std::vector<std::size_t> order(measured.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const ByTree base = errors(grid, features, forest, examples, measured, 0, order);
  shuffle(order, random);
  std::vector<ByTree> losses;
  ByTree all(kImportanceTrees, 0);
  for (std::size_t axis = 0; axis < grid.axes.size(); ++axis) {
    ByTree loss = errors(grid, features, forest, examples, measured, axis, order);
    for (std::size_t tree = 0; tree < kImportanceTrees; ++tree) {
      loss[tree] = std::max(0.0, loss[tree] - base[tree]);
      all[tree] += loss[tree];
    }
    losses.push_back(std::move(loss));
  }
  std::vector<Importance> result;
  for (std::size_t axis = 0; axis < grid.axes.size(); ++axis) {
    ByTree shares;
    for (std::size_t tree = 0; tree < kImportanceTrees; ++tree)
      shares.push_back(all[tree] > 0 ? losses[axis][tree] / all[tree] : 0);
    std::sort(shares.begin(), shares.end());
    result.push_back({grid.axes[axis].name, at_share(shares, 0.5), at_share(shares, 0.025),
                      at_share(shares, 0.975)});
  }
  std::ranges::stable_sort(result, std::ranges::greater{}, &Importance::share);
  return result;
}

}  // namespace tilewright
