#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "tuner/search/forest.hpp"
#include "tuner/search/grid.hpp"
#include "tuner/search/strategy.hpp"

namespace tilewright {

// By level: its value, or the logarithm if values are sizes, or the level if labels have no order.
std::vector<float> feature_values(const SearchAxis& axis);

// What a model knows about a candidate: the value of every axis (its logarithm if it is a size),
// and products and quotients of sizes (threads of a block, …). The grid must outlive it.
class Features {
 public:
  explicit Features(const SearchGrid& grid);

  std::size_t width() const { return singles_.size() + 2 * pairs_.size(); }
  // `row` must hold width() values.
  void write(std::size_t candidate, std::span<float> row) const { write(grid_.of(candidate), row); }
  void write(std::span<const std::uint16_t> levels, std::span<float> row) const;

 private:
  struct Single {
    std::size_t axis = 0;
    std::vector<float> by_level;
    float absent = 0;
  };

  const SearchGrid& grid_;
  std::vector<Single> singles_;
  std::vector<std::pair<std::size_t, std::size_t>> pairs_;  // of singles
};

// The known outcomes as a forest learns them: costs over the best. A failure counts as the slowest.
Examples examples_of(const std::vector<Known>& known, const Features& features);

}  // namespace tilewright
