// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "campaign/cut_tally.hpp"
#include "db/store/store.hpp"
#include "tuner/sweep/sweep.hpp"

namespace tilewright {

// What is stored with the sweep, and what --json prints beside the winners.
nlohmann::json report_of(const SweepSummary& summary, const CutTally& tally);

// The answers of one sweep alone, one for each implementation, the fastest first.
std::vector<BestRow> winners_of(const SweepRecord& record, const std::vector<Trial>& trials);

}  // namespace tilewright
