// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "db/store.hpp"
#include "tilewright/catalog.hpp"
#include "tuner/definition/definition.hpp"

namespace tilewright {

// A question with its definitions found. They must outlive it and its answer.
struct LadderQuestion {
  const Operation* operation = nullptr;
  std::vector<const Implementation*> implementations;  // those that may answer
  Problem problem;
  std::optional<Device> device;
  std::optional<CachePolicy> cache;
};

struct LadderAnswer {
  Rung rung = Rung::manifest_default;
  const Implementation* implementation = nullptr;
  Configuration configuration;
  std::optional<BestRow> row;  // none for a default
  std::string reason;          // for a default: why no better rung answered
};

// Whether the configuration has exactly the implementation's parameters, with values of theirs,
// and satisfies its constraints for this problem and device.
bool fits(const Implementation& implementation, const Configuration& configuration,
          const Problem& problem, const Device& device);

// Stored answers that the question may use: its problem on its device.
std::vector<BestRow> rows_for(const LadderQuestion& question, const Store& store);

// Steps down the rungs: the fastest of `rows` that fits, else the default of the first
// implementation whose default fits, else nothing. `why_no_rows` is a default's reason where
// there are no rows; empty: nothing was ever measured. Without a device a default's constraints
// cannot be judged, and it stands.
std::optional<LadderAnswer> climb(const LadderQuestion& question, const std::vector<BestRow>& rows,
                                  const std::string& why_no_rows = {});

}  // namespace tilewright
