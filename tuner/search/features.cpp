#include "tuner/search/features.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tilewright {
namespace {

constexpr std::size_t kMostPaired = 16;  // axes; the pairs of more would outnumber the axes

bool is_size(const SearchAxis& axis) {
  return axis.values.size() > 2 && axis.values.front() > 0;
}

}  // namespace

std::vector<float> feature_values(const SearchAxis& axis) {
  std::vector<float> values;
  for (std::size_t level = 0; level < axis.labels.size(); ++level) {
    const double value = axis.values.empty() ? static_cast<double>(level) : axis.values[level];
    values.push_back(static_cast<float>(is_size(axis) ? std::log2(value) : value));
  }
  return values;
}

Features::Features(const SearchGrid& grid) : grid_(grid) {
  std::vector<std::size_t> sizes;
  for (std::size_t i = 0; i < grid.axes.size(); ++i) {
    const SearchAxis& axis = grid.axes[i];
    if (is_size(axis) && sizes.size() < kMostPaired) sizes.push_back(singles_.size());
    std::vector<float> values = feature_values(axis);
    const float absent = *std::min_element(values.begin(), values.end()) - 1;
    if (!axis.values.empty() || values.size() < 3) {
      singles_.push_back({i, std::move(values), absent});
      continue;
    }
    for (std::size_t level = 0; level < values.size(); ++level) {
      std::vector<float> is_level(values.size(), 0);
      is_level[level] = 1;
      singles_.push_back({i, std::move(is_level), -1});
    }
  }
  for (std::size_t i = 0; i < sizes.size(); ++i)
    for (std::size_t j = i + 1; j < sizes.size(); ++j) pairs_.emplace_back(sizes[i], sizes[j]);
}

void Features::write(std::span<const std::uint16_t> levels, std::span<float> row) const {
  std::size_t next = 0;
  for (const Single& single : singles_) {
    const std::uint16_t level = levels[single.axis];
    row[next++] = level == SearchGrid::kAbsent ? single.absent : single.by_level[level];
  }
  for (const auto& [first, second] : pairs_) {
    row[next++] = row[first] + row[second];
    row[next++] = row[first] - row[second];
  }
}

Examples examples_of(const std::vector<Known>& known, const Features& features) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  double fastest = infinity;
  double slowest = -infinity;
  for (const Known& item : known) {
    fastest = std::min(fastest, item.cost.value_or(infinity));
    slowest = std::max(slowest, item.cost.value_or(-infinity));
  }
  Examples examples;
  examples.width = features.width();
  examples.features.resize(known.size() * examples.width);
  for (std::size_t i = 0; i < known.size(); ++i) {
    features.write(known[i].candidate,
                   {examples.features.data() + i * examples.width, examples.width});
    const double cost = known[i].cost.value_or(slowest);
    examples.targets.push_back(static_cast<float>(cost - fastest));
  }
  return examples;
}

}  // namespace tilewright
