#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tuner/search/grid.hpp"

namespace tilewright {

// How two candidates can differ. Every axis has one trait, its level, which is equal or not. Every
// axis with an order has one more: the place of its value on the axis, from 0 to 1, on a
// logarithmic scale if values are sizes. The grid must outlive it.
class Traits {
 public:
  explicit Traits(const SearchGrid& grid);

  std::size_t width() const { return levels() + ordered_.size(); }
  // The first traits of a row are levels, the rest places.
  std::size_t levels() const { return grid_.axes.size(); }
  // `row` must hold width() values.
  void write(std::size_t candidate, std::span<float> row) const;

 private:
  struct Ordered {
    std::size_t axis = 0;
    std::vector<float> place;  // by level
  };

  const SearchGrid& grid_;
  std::vector<Ordered> ordered_;
};

// How similar two candidates are, from 0 to 1: exp(−Σ weight × distance) over traits. Different
// levels have the distance 1.
struct Similarity {
  std::vector<float> weights;  // by trait
  std::size_t levels = 0;      // traits that are levels
  float noise = 0.01F;         // share of the variance that no trait explains

  float of(std::span<const float> row, std::span<const float> other) const;
};

// The assumptions before anything is learned, and how far learning may move from them.
struct SimilarityOptions {
  double level = 0.15;  // weight of a different level: small
  double place = 0.5;   // weight of the distance along an axis: larger
  double noise = 0.01;
  double spread = 1;  // standard deviation of a weight's logarithm
  int steps = 6;      // of gradient ascent
};

Similarity usual_similarity(const Traits& traits, const SimilarityOptions& options = {});

// Rows of candidates' traits with a value for each.
struct Samples {
  std::vector<std::vector<float>> rows;
  std::vector<float> values;
};

// A similarity that explains the samples better than `from`. It takes a few sign-based steps up the
// marginal likelihood of Gaussian regression, with a prior on the weights (C. E. Rasmussen and
// C. K. I. Williams, Gaussian Processes for Machine Learning, 5.4.1).
Similarity learned_similarity(const Similarity& from, const Similarity& usual,
                              const Samples& samples, const SimilarityOptions& options = {});

}  // namespace tilewright
