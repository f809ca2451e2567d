#pragma once

#include <random>
#include <vector>

#include "tuner/search/features.hpp"
#include "tuner/search/forest.hpp"
#include "tuner/search/gaussian_process.hpp"
#include "tuner/search/hints.hpp"
#include "tuner/search/strategy.hpp"

namespace tilewright {

struct SurrogateOptions {
  std::size_t examples = 300;  // outcomes used for predictions
  std::size_t lessons = 150;   // of them, used for learning similarity
  SimilarityOptions similarity = {};
  ForestOptions risk = {.trees = 16, .smallest_leaf = 1};  // predicts failures
};

// Predicts the gain over the fastest known for each candidate of a pool. Gaussian regression
// predicts ln of the time, and a forest predicts failures.
class Surrogate {
 public:
  // All must outlive it.
  Surrogate(const SearchGrid& grid, const std::vector<PriorTrial>& priors,
            const std::vector<double>& expected, const SurrogateOptions& options);

  // Learns again what makes candidates similar. Requires a measured candidate.
  void learn_similarity(const std::vector<Known>& known);
  // Takes a new pool and all that is known so far. Requires a measured candidate.
  void draw(std::vector<std::size_t> pool, const std::vector<Known>& known,
            const std::vector<std::size_t>& pending, std::mt19937_64& random);
  // Learns the last outcome of `known`.
  void learn_last(const std::vector<Known>& known, std::mt19937_64& random);
  // Notes that the candidate was proposed.
  void await(std::size_t candidate) { process_.add(candidate, std::nullopt); }

  const std::vector<std::size_t>& pool() const { return process_.pool(); }
  // ln of the expected gain, by place in the pool.
  const std::vector<double>& promises() const { return promises_; }
  // From 0 to 1, by the similarity that is assumed before learning.
  float likeness(std::size_t candidate, std::size_t other) const;
  // As Hints has it.
  float trust_in_expected() const { return hints_.trust_in_expected(); }

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
  std::vector<float> hinted_;    // by place in the pool, like the next two
  std::vector<double> chances_;  // ln of the chance to run
  std::vector<double> promises_;
};

}  // namespace tilewright
