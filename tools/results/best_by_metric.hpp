#pragma once

#include <optional>
#include <string>

#include "db/ladder/ladder.hpp"
#include "db/store/store.hpp"

namespace tilewright::tools {

// The best by a metric of the manifest, among the trials of one finished sweep of exactly this
// problem: of one under the device's power limit before others, then of one that searched for this
// metric, then of the newest. Nothing if there is none.
std::optional<LadderAnswer> best_by_metric(const std::string& name, const LadderQuestion& wanted,
                                           const Store& store);

}  // namespace tilewright::tools
