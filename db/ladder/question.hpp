// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "db/ladder/core.hpp"
#include "definition/definition.hpp"
#include "tilewright/catalog.hpp"

namespace tilewright {

// An answer that turned out not to run on the device.
struct Exclusion {
  std::string implementation;  // "gemm/tiled"
  Configuration configuration;
  std::optional<Rung> rung = {};  // up to this one nothing of the implementation answers again;
                                  // none: this configuration alone does not
};

// A question with its definitions found. They must outlive it and its answer.
struct LadderQuestion {
  const Operation* operation = nullptr;
  std::vector<const Implementation*> implementations;  // those that may answer
  Problem problem;
  std::optional<Device> device;
  std::optional<CachePolicy> cache;
  std::vector<Override> overrides = {};
  double farthest = ladder::farthest;  // for the near rungs
  // What must hold of an answer beside fits(); may be left out.
  std::function<bool(const Implementation&, const Configuration&)> can_serve = {};
  std::vector<Exclusion> excluded = {};
};

// Whether the configuration has exactly the implementation's parameters, with values of theirs.
bool has_its_parameters(const Implementation& implementation, const Configuration& configuration);

// The same, it satisfies the implementation's constraints for this problem and device, and the
// device has the architecture that the implementation requires.
bool fits(const Implementation& implementation, const Configuration& configuration,
          const Problem& problem, const Device& device);

// "gemm/bulk needs sm_90a, and this is sm_80"; empty: the device has what it requires.
std::string why_not_on(const Implementation& implementation, const Device& device);

// Whether the question excludes this answer.
bool is_excluded(const LadderQuestion& question, const Implementation& implementation,
                 const Configuration& configuration, Rung rung);

// Whether this may answer on the rung: it is not excluded, it fits, and can_serve() holds. Without
// a device nothing can be judged, and whatever is not excluded may answer.
bool may_serve(const LadderQuestion& question, const Implementation& implementation,
               const Configuration& configuration, Rung rung);

// The policy that the question means.
CachePolicy cache_of(const LadderQuestion& question);

}  // namespace tilewright
