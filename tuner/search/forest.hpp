#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace tilewright {

// Rows of features with the value to predict.
struct Examples {
  std::size_t width = 0;        // features of a row
  std::vector<float> features;  // row by row
  std::vector<float> targets;

  std::size_t size() const { return targets.size(); }
  std::span<const float> row(std::size_t i) const { return {features.data() + i * width, width}; }
};

struct ForestOptions {
  std::size_t trees = 8;
  std::size_t smallest_leaf = 2;
  double tried_features = 0.25;  // share of all features, at each split
};

// What a model predicts for one row or candidate.
struct Prediction {
  float mean = 0;
  float deviation = 0;  // of a forest: between trees and within their leaves
};

// Extremely randomised regression trees: every split is the best of random thresholds of random
// features. Each tree sees all examples, so trees agree close to examples.
class Forest {
 public:
  static Forest fit(const Examples& examples, const ForestOptions& options,
                    std::mt19937_64& random);

  Prediction predict(std::span<const float> row) const;
  float predict_with(std::size_t tree, std::span<const float> row) const {
    return leaf(roots_[tree], row).value;
  }
  std::size_t trees() const { return roots_.size(); }

 private:
  struct Node {
    std::uint32_t feature = 0;
    float threshold = 0;     // left if the feature is less
    std::uint32_t left = 0;  // the right child follows it; 0: a leaf
    float value = 0;
    float variance = 0;  // of the examples in it
  };
  class Builder;

  const Node& leaf(std::uint32_t root, std::span<const float> row) const;

  std::vector<Node> nodes_;
  std::vector<std::uint32_t> roots_;
};

}  // namespace tilewright
