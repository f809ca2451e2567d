#pragma once

#include <string>

#include "db/records/answer_rows.hpp"
#include "definition/definition.hpp"
#include "definition/metric.hpp"

namespace tilewright::tools {

// The call of a stored answer. The row must outlive it.
MeasuredCall call_of(const BestRow& row);

// "intensity 12.3 FLOP/B, waste 0.2": the operation's metrics that have a value for the call.
std::string metrics_text(const Operation& operation, const MeasuredCall& call);

}  // namespace tilewright::tools
