#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "db/store/store.hpp"
#include "definition/library/library.hpp"

namespace tilewright::tools {

// What a report is of.
struct ReportRequest {
  std::vector<Query> queries;  // a sweep that matches any is shown; none: all sweeps
  std::string sweep;           // the beginning of the id of the only one to show; empty: no such
  std::string source;          // the file's name, for the page
  // Sweeps beyond these, or with more trials than this together, are left out, the oldest first,
  // and counted: the page would take too long to open. The newest is always shown.
  std::size_t most_sweeps = 2000;
  std::size_t most_trials = 300'000;
};

// All that the page shows, {"sweeps": [newest first], "comparison": {…}, …}: numbers, and texts
// without characters that hide something. The page's scripts rely on the types of its fields. Null
// if no sweep with trials matches. Throws InputError like find_sweep().
nlohmann::json report_document(const Store& store, const ReportRequest& request,
                               const Library& library);

// What the report shows of one sweep: who measured what, winners, limits, cuts by rule, importance,
// the metrics of the operation if the library has it, and all trials. A sweep's stored report may
// be of any version or of another program, so whatever is missing or of another type there is left
// out.
nlohmann::json sweep_document(const Store::Imported& sweep, const Library& library);

// The problem as people write it, if the library has its operation.
std::string problem_title(const Problem& problem, const Library& library);

}  // namespace tilewright::tools
