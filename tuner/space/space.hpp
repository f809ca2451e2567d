#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "definition/definition.hpp"
#include "tilewright/device.hpp"
#include "tuner/backend/evaluator.hpp"
#include "tuner/space/configurations.hpp"

namespace tilewright {

// One rule, and how many combinations it is the first to remove. Rules are ordered by the last
// parameter that they mention. With the same last parameter, inactive duplicates come first, then
// constraints in the manifest's order, then --where.
struct Cut {
  std::string rule;  // "inactive", a constraint's `why` (else its text), "--where"; or a limit
  std::int64_t count = 0;
  std::string example;  // values of one of them, with the condition that they break
};

// Adds the count to the cut of this rule, which keeps its first example.
void add_cut(std::vector<Cut>& cuts, const Cut& more);

// All that the hardware's limits exclude is counted; so many of it are listed.
inline constexpr std::size_t kMostPruned = 1000;

// A configuration of the space that a hardware limit excludes before a compile.
struct PrunedConfiguration {
  Configuration configuration;
  std::string rule;     // "threads_per_block", "shared_memory", "grid_limit", …
  std::string message;  // the numbers that broke it
};

// The configurations of an implementation for one problem on one device, in the manifest's order.
// Of a space that is too large to list, it has a uniform random sample, the default and the
// manifest's seeds. Immutable, and safe to read from many threads. `combinations` is the sum of
// `satisfying` and all cuts' counts.
struct Space {
  std::int64_t combinations = 0;            // product of the parameters' value counts
  std::vector<Cut> cuts;                    // rules that removed something
  std::int64_t satisfying = 0;              // combinations that no rule removes
  std::int64_t listed = 0;                  // of these: all, or the sample
  Configurations legal;                     // of the listed ones
  std::vector<Cut> limits;                  // of the hardware, which exclude the others
  std::vector<PrunedConfiguration> pruned;  // the first kMostPruned that they exclude

  // Of a routine: the library lists the configurations when the sweep has the device. Until then
  // the members above are empty.
  bool is_open = false;

  bool is_sample() const { return satisfying > listed; }
};

// The limits of an enumeration.
struct SpaceLimits {
  std::int64_t steps = 20'000'000;  // of propagation.hpp; more are an error
  std::int64_t listed = 2'000'000;  // satisfying configurations; of more, a sample
  std::int64_t sampled = 200'000;
};

// Finds the configurations by constraint propagation (propagation.hpp). `where` narrows the space
// further. Throws InputError if an expression mentions an unknown name, or if it has no result for
// a combination that no earlier rule removes, such as a division by zero. Also throws it if the
// number of combinations does not fit into 63 bits, or if propagation exceeds `limits`. The space
// of a routine is open, unless a rule that mentions no parameter excludes all of it.
Space build_space(const Operation& operation, const Implementation& implementation,
                  const Problem& problem, const Device& device,
                  const std::optional<Expression>& where = std::nullopt,
                  const SpaceLimits& limits = {});

// As build_space() has it for a routine.
Space open_space(const Implementation& implementation, const Problem& problem,
                 const Device& device);

// The space of a routine from what its library listed: each that the manifest's values, its
// constraints and `where` allow.
Space listed_space(const Implementation& implementation, const Problem& problem,
                   const Device& device, const RoutineList& list,
                   const std::optional<Expression>& where = std::nullopt);

}  // namespace tilewright
