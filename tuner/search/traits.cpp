#include "tuner/search/traits.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tuner/search/features.hpp"

namespace tilewright {
namespace {

constexpr float kAbsentPlace = 0.5F;

}  // namespace

Traits::Traits(const SearchGrid& grid) : grid_(grid) {
  for (std::size_t axis = 0; axis < grid.axes.size(); ++axis) {
    if (grid.axes[axis].values.size() < 3) continue;
    std::vector<float> place = feature_values(grid.axes[axis]);
    const float low = place.front();
    const float range = place.back() - low;
    for (float& value : place) value = (value - low) / range;
    ordered_.push_back({axis, std::move(place)});
  }
}

void Traits::write(std::size_t candidate, std::span<float> row) const {
  const auto own = grid_.of(candidate);
  std::size_t next = 0;
  for (const std::uint16_t level : own) row[next++] = level;
  for (const auto& [axis, place] : ordered_)
    row[next++] = own[axis] == SearchGrid::kAbsent ? kAbsentPlace : place[own[axis]];
}

float Similarity::of(std::span<const float> row, std::span<const float> other) const {
  float distance = 0;
  for (std::size_t i = 0; i < levels; ++i)
    if (row[i] != other[i]) distance += weights[i];
  for (std::size_t i = levels; i < weights.size(); ++i)
    distance += weights[i] * std::abs(row[i] - other[i]);
  return std::exp(-distance);
}

Similarity usual_similarity(const Traits& traits, const SimilarityOptions& options) {
  Similarity similarity;
  similarity.levels = traits.levels();
  similarity.weights.assign(traits.width(), static_cast<float>(options.place));
  std::fill_n(similarity.weights.begin(), traits.levels(), static_cast<float>(options.level));
  similarity.noise = static_cast<float>(options.noise);
  return similarity;
}

}  // namespace tilewright
