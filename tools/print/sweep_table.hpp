#pragma once

#include <iosfwd>
#include <vector>

#include "campaign/campaign.hpp"
#include "tools/print/text.hpp"

namespace tilewright::tools {

// One line a problem, then what all sweeps took together.
void print_shapes(std::ostream& out, const Target& target, const std::vector<StoredSweep>& answers,
                  Detail detail);

}  // namespace tilewright::tools
