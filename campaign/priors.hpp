// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "db/store/store.hpp"
#include "tuner/sweep/sweep.hpp"

namespace tilewright {

// A finished sweep that says where to look first.
struct PriorSource {
  SweepRecord sweep;
  double distance = 0;     // of its problem, as the look-up's ladder counts it
  std::size_t trials = 0;  // that the search is told
};

struct Priors {
  std::vector<PriorSource> sources;
  std::vector<Prior> trials;  // the nearest source's first
};

// From finished sweeps of these implementations for problems of the same class: on this device
// before others, then the nearest problems, then this policy before others, then the newest. A few
// sweeps at most.
Priors find_priors(const Store& store, const SweepRequest& request);

enum class PriorUse { stored, none };

// What a sweep began with, as its report keeps it.
nlohmann::json json_of(const Operation& operation, const Priors& priors, PriorUse use);

}  // namespace tilewright
