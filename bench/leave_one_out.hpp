// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "db/store/store.hpp"
#include "definition/library/library.hpp"

namespace tilewright::bench {

// What one way of answering would serve for a problem that it knows nothing of.
struct GuessedAnswer {
  std::string implementation;
  Configuration configuration;
  double distance = 0;          // of the near ways
  std::optional<double> ratio;  // of its time to the problem's best on record; none: not measured
};

// A tuned problem, taken for unknown. Nothing: that way has no answer that fits.
struct LeftOut {
  TunedProblem tuned;
  std::optional<GuessedAnswer> near_problem;        // however far
  std::optional<GuessedAnswer> near_device;         // the same problem counts, this device does not
  std::optional<GuessedAnswer> portable;            // from this device's other problems
  std::optional<GuessedAnswer> portable_elsewhere;  // from other devices alone
  std::optional<GuessedAnswer> standard;            // the manifest's default
  std::optional<GuessedAnswer> by_volume;  // the winner of the nearest product of dimensions
};

// All tuned problems of the family's operation on the device, each left out in turn, under both
// policies at once. Every answer is held against this problem's own trials.
std::vector<LeftOut> leave_one_out(const Family& family, const Device& device, const Store& store);

}  // namespace tilewright::bench
