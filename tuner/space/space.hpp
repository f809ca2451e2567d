// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "definition/definition.hpp"
#include "tilewright/device.hpp"
#include "tuner/space/configurations.hpp"

namespace tilewright {

// One rule and how many combinations it is the first to remove, where rules stand in this order:
// by the last parameter that they mention, in the manifest's order of parameters; among those of
// one last parameter inactive duplicates, constraints in the manifest's order, --where.
struct Cut {
  std::string rule;  // "inactive", a constraint's `why` (else its text), "--where"
  std::int64_t count = 0;
  std::string example;  // values of one that it removed, with the condition that they break
};

// A configuration that is in the space but that a hardware limit rules out before a compile.
struct PrunedConfiguration {
  Configuration configuration;
  std::string rule;     // "threads_per_block", "shared_memory", "grid_limit", …
  std::string message;  // the numbers that broke it
};

// The configurations of an implementation for one problem on one device, in the manifest's
// order, default values not first: all of them, or of a space too large to list a sample, in
// which all are equally likely, with the default and the manifest's seeds. Immutable; safe to
// read from many threads. `combinations` is the sum of all cuts' counts and `satisfying`.
struct Space {
  std::int64_t combinations = 0;  // product of the parameters' value counts
  std::vector<Cut> cuts;          // of rules that removed something; limits are in `pruned`
  std::int64_t satisfying = 0;    // combinations that no rule removes
  Configurations legal;
  std::vector<PrunedConfiguration> pruned;

  bool is_sample() const {
    return static_cast<std::uint64_t>(satisfying) > legal.size() + pruned.size();
  }
};

// How much an enumeration may take.
struct SpaceLimits {
  std::int64_t steps = 20'000'000;  // of propagation (propagation.hpp); more are refused
  std::int64_t listed = 2'000'000;  // satisfying configurations; of more a sample is taken
  std::int64_t sampled = 200'000;
};

// Finds the configurations by constraint propagation (propagation.hpp). `where` narrows the space
// further. Throws InputError when an expression mentions an unknown name or has no result (a
// constraint that divides by zero, say) for a combination that no earlier rule removes, when the
// number of combinations does not fit into 63 bits, or when the rules depend on each other in too
// many ways for `limits`.
Space build_space(const Operation& operation, const Implementation& implementation,
                  const Problem& problem, const Device& device,
                  const std::optional<Expression>& where = std::nullopt,
                  const SpaceLimits& limits = {});

}  // namespace tilewright
