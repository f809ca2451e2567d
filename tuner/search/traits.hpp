// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tuner/search/grid.hpp"

namespace tilewright {

// In what two candidates can differ, one trait for every axis: the level, the same or another.
// And one more for every axis with an order: the value, more or less far away, from 0 to 1 of the
// axis (of logarithms, where values are sizes). The grid must outlive it.
class Traits {
 public:
  explicit Traits(const SearchGrid& grid);

  std::size_t width() const { return levels() + ordered_.size(); }
  // The first traits of a row are levels, the rest places.
  std::size_t levels() const { return grid_.axes.size(); }
  // `row` holds width() values.
  void write(std::size_t candidate, std::span<float> row) const;

 private:
  struct Ordered {
    std::size_t axis = 0;
    std::vector<float> place;  // by level
  };

  const SearchGrid& grid_;
  std::vector<Ordered> ordered_;
};

// How much two candidates have in common, from 0 to 1: exp(−Σ weight × distance) over traits,
// where other levels have the distance 1.
struct Similarity {
  std::vector<float> weights;  // by trait
  std::size_t levels = 0;      // traits that are levels
  float noise = 0.01F;         // variance of what no trait explains, over all variance

  float of(std::span<const float> row, std::span<const float> other) const;
};

// What is assumed before anything is learned, and how far learning goes from there.
struct SimilarityOptions {
  double level = 0.15;  // weight of another level: every change costs a little,
  double place = 0.5;   // a long way along an axis more
  double noise = 0.01;
  double spread = 1;  // standard deviation of a weight's logarithm
  int steps = 6;      // of the ascent
};

Similarity usual_similarity(const Traits& traits, const SimilarityOptions& options = {});

// Candidates' rows with a value for each.
struct Samples {
  std::vector<std::vector<float>> rows;
  std::vector<float> values;
};

// The similarity that explains the samples better than `from`: some steps uphill from there on
// the marginal likelihood of a Gaussian process, given how weights are spread (C. E. Rasmussen and
// C. K. I. Williams, Gaussian Processes for Machine Learning, 5.4.1; sign-based steps).
Similarity learned_similarity(const Similarity& from, const Similarity& usual,
                              const Samples& samples, const SimilarityOptions& options = {});

}  // namespace tilewright
