#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tuner/search/grid.hpp"
#include "tuner/search/strategy.hpp"

namespace tilewright {

// How much the time depends on one axis: a forest's error when that axis is shuffled among the
// known candidates, as a share of the errors of all axes.
struct Importance {
  std::string name;
  double share = 0;  // median over trees
  double low = 0;    // 95 % of the trees
  double high = 0;
};

// The greatest share first. Only measured candidates count. Empty if there are fewer than 20.
std::vector<Importance> importance_of(const SearchGrid& grid, const std::vector<Known>& known,
                                      std::uint64_t seed);

}  // namespace tilewright
