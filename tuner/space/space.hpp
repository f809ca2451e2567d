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

// One rule and how many combinations it was the first to remove. Rules are applied as soon as
// the last name they mention is bound, in this order at one depth: inactive duplicates,
// constraints in the manifest's order, --where.
struct Cut {
  std::string rule;  // "inactive", a constraint's `why` (else its text), "--where"
  std::int64_t count = 0;
  std::string example;  // the first values it removed, with the condition that they break
};

// A configuration that is in the space but that a hardware limit rules out before a compile.
struct PrunedConfiguration {
  Configuration configuration;
  std::string rule;     // "threads_per_block", "shared_memory", "grid_limit", …
  std::string message;  // the numbers that broke it
};

// All configurations of an implementation for one problem on one device, in the manifest's
// order, default values not first. Immutable; safe to read from many threads. `combinations`
// is the sum of all cuts' counts, legal.size() and pruned.size().
struct Space {
  std::int64_t combinations = 0;  // product of the parameters' value counts
  std::vector<Cut> cuts;          // of rules that removed something; limits are in `pruned`
  std::vector<Configuration> legal;
  std::vector<PrunedConfiguration> pruned;
};

// How much an enumeration may take before it is refused.
struct SpaceLimits {
  std::int64_t visited = 20'000'000;  // partial and whole combinations to look at
  std::int64_t kept = 2'000'000;      // legal and pruned configurations; about 1 KiB each
};

// Enumerates with each constraint applied as soon as its last parameter is bound. `where`
// narrows the space further. Throws InputError when an expression mentions an unknown name or
// has no result (a constraint that divides by zero, say), or when a space exceeds `limits`.
Space build_space(const Operation& operation, const Implementation& implementation,
                  const Problem& problem, const Device& device,
                  const std::optional<Expression>& where = std::nullopt,
                  const SpaceLimits& limits = {});

}  // namespace tilewright
