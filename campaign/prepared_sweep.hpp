#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "campaign/priors.hpp"
#include "campaign/target.hpp"
#include "db/store/store.hpp"
#include "tuner/machine/machine.hpp"
#include "tuner/sweep/run/sweep.hpp"

namespace tilewright {

// How to search and measure.
struct SearchOptions {
  std::optional<CachePolicy> cache = {};   // none: default_cache_policy()
  std::optional<Expression> where = {};    // only configurations that satisfy it
  std::string objective = {};              // a metric of the operation; empty: the time
  std::string strategy = {};               // empty: exhaustive if the budget covers all, and
                                           // no limit or target cuts off over 500, else model
  std::optional<std::size_t> budget = {};  // 0: all; none: all up to 500, else 500 or fewer
  double time_limit_s = 0;                 // at least one is tried; 0: none
  double target_us = 0;                    // 0: none
  std::uint64_t seed = 1;
  ResourceFloor floor = {};
  PriorUse priors = PriorUse::stored;
  GivenData given = {};
  BusyRule busy = {};
};

// A sweep that is ready to run. Nothing of it is stored yet.
struct PreparedSweep {
  Target target;  // `request` points into it
  SweepRequest request;
  DeviceReport device;
  SweepKey key;
  Environment environment;
  std::vector<Space> spaces;  // by request.implementations
  std::size_t legal = 0;      // over all implementations but open spaces
  bool budget_was_chosen = false;
  PriorUse priors = PriorUse::stored;
};

// Throws InputError for bad input, and MachineError if there is no compiler.
PreparedSweep prepare_sweep(Target target, const Problem& problem, const DeviceReport& device,
                            const SearchOptions& options, const Toolchain& toolchain);

// How the problem is measured on the device. Throws InputError if the device cannot measure with
// this cache policy, or if the problem does not fit into its memory.
Policy choose_policy(const Operation& operation, const Problem& problem,
                     std::optional<CachePolicy> cache, const DeviceReport& device);

// A request that lacks implementations, and the device's index if it is not 0.
SweepRequest request_for(const Operation& operation, const Problem& problem, const Device& device,
                         const Policy& policy);

// What a stored sweep has minimised; nothing if that is the time, or if the operation no longer has
// the metric. The operation must outlive it.
std::optional<Objective> objective_of(const SweepRecord& record, const Operation& operation);

// Whether the screened trials of one sweep are what the other would measure, as far as both try the
// same configurations: they differ at most in how they search and when they end.
bool has_same_trials(const SweepKey& one, const SweepKey& other);

// Whether a search that tried so many may have been a part of `whole`, if they have the same
// trials. One that tried as many is another way to search, unless only a time limit differs.
bool may_be_part(const SweepKey& part, std::size_t tried, const SweepKey& whole);

// A hash of all that decides which configurations there are, what they compute and how they are
// judged: results of definitions with one hash may be compared.
std::string space_hash(const Implementation& implementation, const Operation& operation);

// What a sweep records of an implementation. A changed source, space or launch makes a different
// sweep. Throws InputError if the source cannot be read.
ImplementationKey key_of(const Implementation& implementation, const Operation& operation);

std::vector<ImplementationKey> keys_of(const std::vector<const Implementation*>& implementations,
                                       const Operation& operation);

// The strategy in a sweep's key. Limits that change which configurations are tried are words of it.
std::string strategy_key(const SweepRequest& request, PriorUse priors);

// Two sweeps with equal keys are the same sweep. Throws like the above.
SweepKey key_of(const SweepRequest& request, PriorUse priors);

}  // namespace tilewright
