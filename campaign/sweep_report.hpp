#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "campaign/prepared_sweep.hpp"
#include "db/store/store.hpp"

namespace tilewright {

// The cuts of a space before any compile: by its rules, then by the hardware's limits.
std::vector<Cut> cuts_before_compile(const Space& space);

nlohmann::json json_of(const std::vector<Cut>& cuts);

// The report that is stored with the sweep, of all its trials. --json prints it together with the
// winners.
nlohmann::json report_of(const SweepSummary& summary, const PreparedSweep& sweep,
                         const std::vector<Trial>& trials);

// The trials with what the objective makes of their times, if there is one.
std::vector<Trial> in_place_of_times(std::vector<Trial> trials,
                                     const std::optional<Objective>& objective);

// The answers of this sweep alone: one for each implementation, the fastest first. With an
// objective they are the best by that.
std::vector<BestRow> winners_of(const SweepRecord& record, const std::vector<Trial>& trials,
                                const std::optional<Objective>& objective = {});

}  // namespace tilewright
