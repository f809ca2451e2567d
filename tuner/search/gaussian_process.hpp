// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "tuner/search/traits.hpp"

namespace tilewright {

// What a Gaussian process says of one candidate.
struct Belief {
  float mean = 0;
  float deviation = 0;
};

// Predicts the values of a fixed pool of candidates from those of others, one by one. A candidate
// whose value is not known, yet or ever, counts as if it were what was predicted: the process is
// sure of its surroundings, without expecting anything else of them.
class GaussianProcess {
 public:
  GaussianProcess() = default;
  // The traits must outlive it.
  GaussianProcess(const Traits& traits, Similarity similarity, std::vector<std::size_t> pool);

  const std::vector<std::size_t>& pool() const { return pool_; }
  // Of a candidate that may be in the pool; again, for a value that came later.
  void add(std::size_t candidate, std::optional<float> value);
  // By place in the pool.
  std::vector<Belief> beliefs() const;

 private:
  using Row = std::vector<float>;

  void extend(std::size_t candidate);
  Row alike(const Row& traits) const;

  const Traits* traits_ = nullptr;
  Similarity similarity_;
  std::vector<std::size_t> pool_;
  std::vector<Row> pool_traits_;  // by trait, then by place
  Row left_;                      // by place: variance that the rows do not explain, over all

  // By row, one for each candidate that was added: with A the rows' similarities and noise,
  // A = factor × factorᵀ, and columns = factor⁻¹ × similarities to the pool.
  std::map<std::size_t, std::size_t> row_of_;
  std::vector<std::optional<float>> values_;
  std::vector<Row> row_traits_;
  std::vector<Row> factor_;
  std::vector<Row> columns_;
};

}  // namespace tilewright
