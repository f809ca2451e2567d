// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tuner/space/order.hpp"

#include <algorithm>

namespace tilewright {
namespace {

// Combinations of the bound parameters that rules with an unbound one mention.
double width(const std::vector<std::size_t>& value_counts,
             const std::vector<std::vector<std::size_t>>& rules, const std::vector<bool>& bound) {
  const auto is_bound = [&](std::size_t parameter) { return bound[parameter]; };
  std::vector<bool> counted(bound.size(), false);
  double width = 1;
  for (const std::vector<std::size_t>& rule : rules) {
    if (std::all_of(rule.begin(), rule.end(), is_bound)) continue;
    for (const std::size_t parameter : rule) {
      if (!bound[parameter] || counted[parameter]) continue;
      counted[parameter] = true;
      width *= static_cast<double>(value_counts[parameter]);
    }
  }
  return width;
}

}  // namespace

std::vector<std::size_t> greedy_order(const std::vector<std::size_t>& value_counts,
                                      const std::vector<std::vector<std::size_t>>& rules) {
  std::vector<bool> bound(value_counts.size(), false);
  std::vector<std::size_t> order;
  while (order.size() < value_counts.size()) {
    std::size_t best = value_counts.size();
    double least = 0;
    for (std::size_t i = 0; i < value_counts.size(); ++i) {
      if (bound[i]) continue;
      bound[i] = true;
      const double then = width(value_counts, rules, bound);
      bound[i] = false;
      if (best < value_counts.size() && then >= least) continue;
      best = i;
      least = then;
    }
    bound[best] = true;
    order.push_back(best);
  }
  return order;
}

}  // namespace tilewright
