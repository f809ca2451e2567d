// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "tilewright/trial.hpp"

namespace tilewright {

// The winner among the trials of one implementation in one sweep.
struct Winner {
  std::size_t winner = 0;                // index into the trials
  std::optional<std::size_t> runner_up;  // the nearest to it by ratio_of, another configuration
  std::optional<std::size_t> default_trial;
  std::size_t measured = 0;  // distinct configurations with a time
  bool tie = false;
};

// Whether a time cannot be told from the least one: a ratio (ratio_of) within 0.2 %, or one within
// 1 % whose 95 % interval holds 1.
bool ties(const Timing& timing, const Timing& best);

// Deterministic: the same trials in any order give the same configuration. Measurements of the
// final stage outrank those of the screening; what failed in the final stage is out, what was not
// measured to its last round cannot win. What ties with the trial of the least median goes to the
// default, then to fewer registers and less shared memory, then to the first configuration in
// order. Nothing if none is measured.
std::optional<Winner> choose(const std::vector<Trial>& trials,
                             const Configuration& default_configuration);

}  // namespace tilewright
