// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tuner/space/order.hpp"

#include <algorithm>
#include <numeric>

namespace tilewright {
namespace {

constexpr double kWorthLeavingTheGivenOrder = 0.5;

class Ordering {
 public:
  Ordering(const std::vector<std::size_t>& value_counts,
           const std::vector<std::vector<std::size_t>>& rules)
      : value_counts_(value_counts), rules_(rules) {}

  std::vector<std::size_t> greedy() const {
    std::vector<bool> bound(value_counts_.size(), false);
    std::vector<std::size_t> order;
    while (order.size() < value_counts_.size()) {
      const std::size_t next = cheapest(bound);
      bound[next] = true;
      order.push_back(next);
    }
    return order;
  }

  double work(const std::vector<std::size_t>& order) const {
    std::vector<bool> bound(value_counts_.size(), false);
    double work = 0;
    double before = 1;
    for (const std::size_t parameter : order) {
      work += before * static_cast<double>(value_counts_[parameter]);
      bound[parameter] = true;
      before = width(bound);
    }
    return work;
  }

 private:
  // The first of those with the least width after them.
  std::size_t cheapest(std::vector<bool>& bound) const {
    std::size_t best = value_counts_.size();
    double least = 0;
    for (std::size_t i = 0; i < value_counts_.size(); ++i) {
      if (bound[i]) continue;
      bound[i] = true;
      const double then = width(bound);
      bound[i] = false;
      if (best < value_counts_.size() && then >= least) continue;
      best = i;
      least = then;
    }
    return best;
  }

  // Combinations of the bound parameters that rules with an unbound one mention.
  double width(const std::vector<bool>& bound) const {
    const auto is_bound = [&](std::size_t parameter) { return bound[parameter]; };
    std::vector<bool> counted(bound.size(), false);
    double width = 1;
    for (const std::vector<std::size_t>& rule : rules_) {
      if (std::all_of(rule.begin(), rule.end(), is_bound)) continue;
      for (const std::size_t parameter : rule) {
        if (!bound[parameter] || counted[parameter]) continue;
        counted[parameter] = true;
        width *= static_cast<double>(value_counts_[parameter]);
      }
    }
    return width;
  }

  const std::vector<std::size_t>& value_counts_;
  const std::vector<std::vector<std::size_t>>& rules_;
};

}  // namespace

std::vector<std::size_t> binding_order(const std::vector<std::size_t>& value_counts,
                                       const std::vector<std::vector<std::size_t>>& rules) {
  const Ordering ordering(value_counts, rules);
  std::vector<std::size_t> given(value_counts.size());
  std::iota(given.begin(), given.end(), 0);
  std::vector<std::size_t> greedy = ordering.greedy();
  const bool is_better = ordering.work(greedy) < kWorthLeavingTheGivenOrder * ordering.work(given);
  return is_better ? greedy : given;
}

}  // namespace tilewright
