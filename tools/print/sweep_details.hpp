#pragma once

#include <iosfwd>
#include <nlohmann/json.hpp>

#include "campaign/campaign.hpp"
#include "campaign/sweep_report.hpp"
#include "db/store/store.hpp"
#include "tools/print/names.hpp"

namespace tilewright::tools {

// A figure of a report; 0 or empty if the report is older than the figure.
template <class Value>
Value figure(const nlohmann::json& report, const char* place) {
  return report.value(nlohmann::json::json_pointer(place), Value{});
}

// Everything that a sweep's summary leaves out: the winner of each implementation, what ruled out
// how many, where the time went. Missing or unknown parts of its report are left out.
void print_details(std::ostream& out, const PreparedSweep& sweep, const StoredSweep& answer);

nlohmann::json json_of(const BestRow& row);

// The spaces and their cuts, for a sweep that has nothing to try.
void print_spaces(std::ostream& out, const PreparedSweep& setup);

// A sentence about what may have disturbed the times; empty if nothing was observed.
std::string disturbance(const MachineSummary& machine);

// `4 362 legal`; for a sample also its size and the size of the whole.
std::string legal_text(const Space& space);

// `cuts` as json_of() makes them. Brief: with what each rule requires, if "require" says it. Full:
// with an example of each.
void print_cuts(std::ostream& out, const nlohmann::json& cuts, const std::string& indent,
                Detail detail);

}  // namespace tilewright::tools
