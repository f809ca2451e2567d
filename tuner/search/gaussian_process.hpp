#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "tuner/search/forest.hpp"
#include "tuner/search/traits.hpp"

namespace tilewright {

// Gaussian regression: predicts the values of a fixed pool of candidates from known values, which
// are added one by one. A candidate without a value counts as having its predicted value.
// Predictions near it then become more certain, but do not change.
class GaussianProcess {
 public:
  GaussianProcess() = default;
  // The traits must outlive it.
  GaussianProcess(const Traits& traits, Similarity similarity, std::vector<std::size_t> pool);

  const std::vector<std::size_t>& pool() const { return pool_; }
  // The candidate may be in the pool. A later call may add its value.
  void add(std::size_t candidate, std::optional<float> value);
  // By place in the pool.
  std::vector<Prediction> predictions() const;

 private:
  using Row = std::vector<float>;

  void extend(std::size_t candidate);
  Row alike(const Row& traits) const;

  const Traits* traits_ = nullptr;
  Similarity similarity_;
  std::vector<std::size_t> pool_;
  std::vector<Row> pool_traits_;  // by trait, then by place
  Row left_;                      // by place: share of variance that the rows do not explain

  // There is one row for each candidate that was added. With A the rows' similarities and noise,
  // A = factor × factorᵀ, and columns = factor⁻¹ × similarities to the pool.
  std::map<std::size_t, std::size_t> row_of_;
  std::vector<std::optional<float>> values_;
  std::vector<Row> row_traits_;
  std::vector<Row> factor_;
  std::vector<Row> columns_;
};

}  // namespace tilewright
