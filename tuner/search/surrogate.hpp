// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "tuner/search/features.hpp"
#include "tuner/search/forest.hpp"
#include "tuner/search/gaussian_process.hpp"
#include "tuner/search/hints.hpp"

namespace tilewright {

struct SurrogateOptions {
  std::size_t examples = 300;  // outcomes that predictions rest on
  std::size_t lessons = 150;   // of them, what similarity is learned from
  SimilarityOptions similarity = {};
  ForestOptions risk = {.trees = 16, .smallest_leaf = 1};  // of failing
};

// Stands for the device: says what gain over the fastest known may be expected of each candidate
// of a pool. A Gaussian process predicts ln of the time, a forest which will fail.
class Surrogate {
 public:
  // The grid must outlive it.
  Surrogate(const SearchGrid& grid, const std::vector<PriorTrial>& priors,
            const SurrogateOptions& options);

  // Learns again what makes candidates alike. Something was measured.
  void learn_similarity(const std::vector<Known>& known);
  // A new pool, and all that is known of it so far. Something was measured.
  void draw(std::vector<std::size_t> pool, const std::vector<Known>& known,
            const std::vector<std::size_t>& pending, std::mt19937_64& random);
  // The last outcome of `known` is new.
  void learn_last(const std::vector<Known>& known, std::mt19937_64& random);
  // A candidate's outcome will come.
  void await(std::size_t candidate) { process_.add(candidate, std::nullopt); }

  const std::vector<std::size_t>& pool() const { return process_.pool(); }
  // ln of the gain to be expected, by place in the pool.
  const std::vector<double>& promises() const { return promises_; }
  // From 0 to 1, before anything is learned of it.
  float likeness(std::size_t candidate, std::size_t other) const;

 private:
  std::optional<float> value(const Known& known) const;
  void judge_risk(const std::vector<Known>& known, std::mt19937_64& random);
  void predict(const std::vector<Known>& known);

  SurrogateOptions options_;
  Features features_;
  Traits traits_;
  Hints hints_;
  Similarity usual_;
  Similarity similarity_;
  bool has_learned_ = false;
  GaussianProcess process_;
  std::vector<float> hinted_;    // by place in the pool, as the next
  std::vector<double> chances_;  // ln of the chance to run
  std::vector<double> promises_;
};

}  // namespace tilewright
