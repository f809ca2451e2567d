#include "tuner/search/gaussian_process.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tilewright {
namespace {

constexpr float kLeast = 1e-6F;

void add_to(std::vector<float>& row, float factor, const std::vector<float>& other) {
  const std::size_t count = row.size();
  for (std::size_t i = 0; i < count; ++i) row[i] += factor * other[i];
}

}  // namespace

GaussianProcess::GaussianProcess(const Traits& traits, Similarity similarity,
                                 std::vector<std::size_t> pool)
    : traits_(&traits),
      similarity_(std::move(similarity)),
      pool_(std::move(pool)),
      pool_traits_(traits.width(), Row(pool_.size())),
      left_(pool_.size(), 1) {
  Row row(traits.width());
  for (std::size_t i = 0; i < pool_.size(); ++i) {
    traits.write(pool_[i], row);
    for (std::size_t trait = 0; trait < row.size(); ++trait) pool_traits_[trait][i] = row[trait];
  }
}

void GaussianProcess::add(std::size_t candidate, std::optional<float> value) {
  const auto [place, is_new] = row_of_.emplace(candidate, row_of_.size());
  if (is_new) extend(candidate);
  values_[place->second] = value;
}

// Adds one row to the Cholesky factor and to the pool's columns.
void GaussianProcess::extend(std::size_t candidate) {
  Row own(traits_->width());
  traits_->write(candidate, own);
  Row factor;
  float left = 1 + similarity_.noise;
  for (std::size_t row = 0; row < factor_.size(); ++row) {
    float rest = similarity_.of(own, row_traits_[row]);
    for (std::size_t i = 0; i < row; ++i) rest -= factor[i] * factor_[row][i];
    factor.push_back(rest / factor_[row][row]);
    left -= factor.back() * factor.back();
  }
  factor.push_back(std::sqrt(std::max(kLeast, left)));
  Row columns = alike(own);
  for (std::size_t row = 0; row < columns_.size(); ++row)
    add_to(columns, -factor[row], columns_[row]);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    columns[i] /= factor.back();
    left_[i] -= columns[i] * columns[i];
  }
  values_.emplace_back();
  row_traits_.push_back(std::move(own));
  factor_.push_back(std::move(factor));
  columns_.push_back(std::move(columns));
}

GaussianProcess::Row GaussianProcess::alike(const Row& traits) const {
  Row row(pool_.size(), 0);
  for (std::size_t trait = 0; trait < traits.size(); ++trait) {
    const Row& others = pool_traits_[trait];
    const float own = traits[trait];
    const float weight = similarity_.weights[trait];
    if (trait < similarity_.levels) {
      for (std::size_t i = 0; i < row.size(); ++i) row[i] += others[i] != own ? weight : 0;
    } else {
      for (std::size_t i = 0; i < row.size(); ++i) row[i] += weight * std::abs(others[i] - own);
    }
  }
  for (float& value : row) value = std::exp(-value);
  return row;
}

std::vector<Prediction> GaussianProcess::predictions() const {
  float sum = 0;
  float count = 0;
  for (const auto& value : values_)
    if (value) {
      sum += *value;
      count += 1;
    }
  const float usual = count == 0 ? 0 : sum / count;
  Row means(pool_.size(), usual);
  Row news;  // of each row: what earlier rows did not predict
  float squares = 0;
  for (std::size_t row = 0; row < values_.size(); ++row) {
    float rest = 0;
    if (values_[row]) {
      rest = *values_[row] - usual;
      for (std::size_t i = 0; i < row; ++i) rest -= factor_[row][i] * news[i];
      rest /= factor_[row][row];
      add_to(means, rest, columns_[row]);
    }
    news.push_back(rest);
    squares += rest * rest;
  }
  const float scale = squares > 0 ? std::sqrt(squares / count) : 1;  // 1: not known yet
  std::vector<Prediction> predictions;
  for (std::size_t i = 0; i < means.size(); ++i)
    predictions.push_back({means[i], scale * std::sqrt(std::max(kLeast, left_[i]))});
  return predictions;
}

}  // namespace tilewright
