// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/device.hpp"
#include "tuner/definition/definition.hpp"

namespace tilewright {

// One rule and how many combinations it alone removed first.
struct Cut {
  std::string rule;
  std::int64_t count = 0;
  std::string example;  // one configuration it removed, with the numbers
};

// A configuration that is in the space but that a hardware limit rules out before a compile.
struct PrunedConfiguration {
  Configuration configuration;
  std::string rule;     // "threads_per_block", "shared_memory", "grid_limit", …
  std::string message;  // the numbers that broke it
};

// All configurations of an implementation for one problem on one device, in the manifest's
// order, default values not first. Immutable; safe to read from many threads.
struct Space {
  std::int64_t combinations = 0;  // product of the parameters' value counts
  std::vector<Cut> cuts;          // inactive duplicates, constraints, --where; then limits
  std::vector<Configuration> legal;
  std::vector<PrunedConfiguration> pruned;
};

// Enumerates with each constraint applied as soon as its last parameter is bound. `where`
// narrows the space further. Throws InputError when an expression has no result (a constraint
// that divides by zero, say) or when a space exceeds 20 million combinations unpruned.
Space build_space(const Implementation& implementation, const Problem& problem,
                  const Device& device, const std::optional<Expression>& where = std::nullopt);

}  // namespace tilewright
