#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "db/store/store.hpp"
#include "tuner/sweep/run/sweep.hpp"

namespace tilewright {

// A finished sweep whose results guide the search.
struct PriorSource {
  SweepRecord sweep;
  double distance = 0;     // of its problem, as the ladder counts it
  std::size_t trials = 0;  // given to the search
};

struct Priors {
  std::vector<PriorSource> sources;
  std::vector<Prior> trials;        // the nearest source's first
  std::vector<Suggestion> shipped;  // winners
  std::vector<Suggestion> general;  // of the least expected cycles
  std::string left_out;  // about the first sweep whose problem cannot be used; empty: none
};

// Takes a few finished sweeps of these implementations for problems of the same class. The order is
// this device before others, the nearest problem, this policy before others, the newest. Then a few
// of the shipped winners: those for this device before others, this class, the nearest problem. Of
// each implementation also a few general configurations, as the default rung would choose them.
Priors find_priors(const Store& store, const std::vector<BestRow>& shipped,
                   const SweepRequest& request);

void give_priors(const Priors& priors, SweepRequest& request);

enum class PriorUse { stored, none };

// Whether a sweep has any use for priors. Other sweeps rank configurations by their times.
bool may_use_priors(const SweepRequest& request);

// The priors of a sweep, as its report has them.
nlohmann::json json_of(const Operation& operation, const Priors& priors, PriorUse use);

}  // namespace tilewright
