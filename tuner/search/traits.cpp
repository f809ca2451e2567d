#include "tuner/search/traits.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "tuner/search/features.hpp"

namespace tilewright {
namespace {

constexpr float kAbsentPlace = 0.5F;

using Row = std::vector<float>;

// a += factor × b, for the first `count` elements.
void add(Row& a, float factor, const Row& b, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) a[i] += factor * b[i];
}

// The logarithms of a similarity's weights, then of its noise.
Row logarithms(const Similarity& similarity) {
  Row logs;
  for (const float weight : similarity.weights) logs.push_back(std::log(weight));
  logs.push_back(std::log(similarity.noise));
  return logs;
}

// A symmetric matrix, as the rows of its lower half.
using Half = std::vector<Row>;

// Replaces a positive definite matrix with its lower Cholesky factor.
void factorise(Half& matrix) {
  constexpr float least = 1e-6F;
  Row column(matrix.size());
  for (std::size_t j = 0; j < matrix.size(); ++j) {
    const float root = std::sqrt(std::max(least, matrix[j][j]));
    matrix[j][j] = root;
    for (std::size_t i = j + 1; i < matrix.size(); ++i) column[i] = matrix[i][j] /= root;
    for (std::size_t i = j + 1; i < matrix.size(); ++i) {
      float* const row = matrix[i].data();
      const float factor = column[i];
      for (std::size_t k = j + 1; k <= i; ++k) row[k] -= factor * column[k];
    }
  }
}

Half inverse_of_factor(const Half& factor) {
  Half inverse;
  for (std::size_t i = 0; i < factor.size(); ++i) {
    Row row(i + 1, 0);
    for (std::size_t j = 0; j < i; ++j) add(row, -factor[i][j], inverse[j], j + 1);
    row[i] = 1;
    for (float& value : row) value /= factor[i][i];
    inverse.push_back(std::move(row));
  }
  return inverse;
}

// lowerᵀ × lower.
Half squared(const Half& lower) {
  Half product;
  for (std::size_t i = 0; i < lower.size(); ++i) product.emplace_back(i + 1, 0);
  for (const Row& row : lower)
    for (std::size_t i = 0; i < row.size(); ++i) add(product[i], row[i], row, i + 1);
  return product;
}

// The gradient of the likelihood by the logarithm of every weight.
class Slope {
 public:
  explicit Slope(const Samples& samples) : samples_(samples), values_(samples.values) {
    const auto count = static_cast<float>(values_.size());
    const float mean = std::accumulate(values_.begin(), values_.end(), 0.0F) / count;
    for (float& value : values_) value -= mean;
  }

  Row at(const Similarity& similarity) const {
    const Half matrix = alike(similarity);
    Half factor = matrix;
    for (std::size_t i = 0; i < factor.size(); ++i) factor[i][i] += similarity.noise;
    factorise(factor);
    const Half root = inverse_of_factor(factor);
    Row solved(values_.size(), 0);
    float explained = 0;
    for (const Row& row : root) {
      const float part = std::inner_product(row.begin(), row.end(), values_.begin(), 0.0F);
      explained += part * part;
      add(solved, part, row, row.size());
    }
    const float variance = std::max(1e-12F, explained / static_cast<float>(values_.size()));
    const Half inverse = squared(root);
    const std::size_t width = similarity.weights.size();
    Row slope(width + 1, 0);
    for (std::size_t i = 0; i < values_.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const float pull = (solved[i] * solved[j] / variance - inverse[i][j]) * matrix[i][j];
        const Row& one = samples_.rows[i];
        const Row& other = samples_.rows[j];
        for (std::size_t k = 0; k < similarity.levels; ++k)
          slope[k] -= one[k] != other[k] ? pull : 0;
        for (std::size_t k = similarity.levels; k < width; ++k)
          slope[k] -= pull * std::abs(one[k] - other[k]);
      }
      slope[width] += (solved[i] * solved[i] / variance - inverse[i][i]) / 2;
    }
    for (std::size_t k = 0; k < width; ++k) slope[k] *= similarity.weights[k];
    slope[width] *= similarity.noise;
    return slope;
  }

 private:
  Half alike(const Similarity& similarity) const {
    Half matrix;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      Row& row = matrix.emplace_back();
      for (std::size_t j = 0; j < i; ++j)
        row.push_back(similarity.of(samples_.rows[i], samples_.rows[j]));
      row.push_back(1);
    }
    return matrix;
  }

  const Samples& samples_;
  Row values_;  // minus their mean
};

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

Similarity learned_similarity(const Similarity& from, const Similarity& usual,
                              const Samples& samples, const SimilarityOptions& options) {
  constexpr float low = -9;
  constexpr float high = 3;
  const Slope slope(samples);
  const Row expected = logarithms(usual);
  const auto narrow = static_cast<float>(1 / (options.spread * options.spread));
  Row logs = logarithms(from);
  Row strides(logs.size(), 0.3F);
  Row last(logs.size(), 0);
  Similarity similarity = from;
  for (int step = 0; step < options.steps; ++step) {
    Row now = slope.at(similarity);
    for (std::size_t i = 0; i < logs.size(); ++i) {
      now[i] -= (logs[i] - expected[i]) * narrow;
      if (now[i] * last[i] > 0) strides[i] = std::min(1.0F, strides[i] * 1.3F);
      if (now[i] * last[i] < 0) strides[i] /= 2;
      logs[i] = std::clamp(logs[i] + std::copysign(strides[i], now[i]), low, high);
    }
    last = now;
    for (std::size_t i = 0; i + 1 < logs.size(); ++i) similarity.weights[i] = std::exp(logs[i]);
    similarity.noise = std::exp(logs.back());
  }
  return similarity;
}

}  // namespace tilewright
