// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tuner/search/examples.hpp"

#include <algorithm>
#include <limits>

namespace tilewright {

Examples examples_of(const std::vector<Known>& known, const Features& features) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  double fastest = infinity;
  double slowest = -infinity;
  for (const Known& item : known) {
    fastest = std::min(fastest, item.cost.value_or(infinity));
    slowest = std::max(slowest, item.cost.value_or(-infinity));
  }
  Examples examples;
  examples.width = features.width();
  examples.features.resize(known.size() * examples.width);
  for (std::size_t i = 0; i < known.size(); ++i) {
    features.write(known[i].candidate,
                   {examples.features.data() + i * examples.width, examples.width});
    const double cost = known[i].cost.value_or(slowest);
    examples.targets.push_back(static_cast<float>(cost - fastest));
  }
  return examples;
}

}  // namespace tilewright
