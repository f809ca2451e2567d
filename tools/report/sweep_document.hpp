#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "db/store/store.hpp"
#include "definition/library/library.hpp"

namespace tilewright::tools {

// What the report shows of one sweep: who measured what, winners, limits, cuts by rule, importance,
// the metrics of the operation if the library has it, and all trials. A sweep's stored report may
// be of any version or of another program, so whatever is missing or of another type there is left
// out.
nlohmann::json sweep_document(const Store::Imported& sweep, const Library& library);

// The problem as people write it, if the library has its operation.
std::string problem_title(const Problem& problem, const Library& library);

}  // namespace tilewright::tools
