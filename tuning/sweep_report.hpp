// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "db/store.hpp"
#include "tuner/sweep/sweep.hpp"
#include "tuning/cut_tally.hpp"

namespace tilewright {

// What is stored with the sweep, and what --json prints beside the winners.
nlohmann::json report_of(const SweepSummary& summary, const CutTally& tally);

// The answers of one sweep alone, one for each implementation, the fastest first.
std::vector<BestRow> winners_of(const SweepRecord& record, const std::vector<Trial>& trials);

}  // namespace tilewright
