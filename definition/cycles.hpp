// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// What a manifest's formulas mean (docs/manifest-implementation.md). Every exported header contains
// the body of this namespace, so it is C++17 and needs only the standard library.
#pragma once

#include <cmath>
#include <limits>

namespace tilewright {

// What an implementation's manifest says about a call, in cycles of a multiprocessor.
struct Cost {
  long long blocks;
  long long multiprocessors;
  long long resident;
  long long work;
  long long latency;
  long long least;
  long long overhead;
};

constexpr double no_cost = std::numeric_limits<double>::infinity();

// The blocks are shared out evenly. A multiprocessor works its share off in groups of `resident`
// blocks. A group takes the root of the sum of the squares of its work and of a block's latency,
// because either hides most of the other. If two are resident, both end at the same time, so some
// multiprocessors get two of the remaining blocks and others get none.
inline double cycles_of(const Cost& cost) {
  if (cost.blocks < 0 || cost.multiprocessors < 1 || cost.resident < 1) return no_cost;
  const double share =
      std::ceil(static_cast<double>(cost.blocks) / static_cast<double>(cost.multiprocessors));
  const auto group = [&cost](double blocks) {
    return std::hypot(blocks * static_cast<double>(cost.work), static_cast<double>(cost.latency));
  };
  const auto resident = static_cast<double>(cost.resident);
  const double full = std::floor(share / resident);
  const double rest = share - full * resident;
  const double last = rest > 0 && full > 0 && cost.resident == 2 ? 2 : rest;
  const double cycles = full * group(resident) + (last > 0 ? group(last) : 0);
  const auto least = static_cast<double>(cost.least);
  return (cycles > least ? cycles : least) + static_cast<double>(cost.overhead);
}

}  // namespace tilewright
