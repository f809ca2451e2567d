#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "db/store/store.hpp"
#include "definition/metric.hpp"

namespace tilewright {

// Winners without their sweeps, for shipping, review and comparison. The format is JSON:
// `{"format": "tilewright-winners", "version": 1, "about": …, "groups": […]}`, with one group for
// each device, environment and policy. The order is stable: equal rows give equal bytes.

// Includes the margins over default and runner-up, but no samples. Ends with a newline. A winner
// has "metrics" if `metrics_of` gives any.
std::string export_winners(const std::vector<BestRow>& rows, const std::string& about = {},
                           const MetricsOf& metrics_of = {});

// These may be missing in a file: resources, verification, code and source hash, sweep, default,
// runner-up, and the number of measured configurations. Unknown keys are ignored. Throws InputError
// that names the file, the winner and the field, also for two winners of one implementation,
// device, problem, policy and power limit.
std::vector<BestRow> import_winners(std::string_view text, const std::string& name);

// The text of such a file with these source hashes in place of its own, which are those of its
// winners that have one, in their order. Everything else stays as it is. Throws InputError if their
// number differs.
std::string with_source_hashes(std::string_view text, const std::vector<std::string>& hashes);

// Whether the text begins like such a file.
bool are_winners(std::string_view text);

}  // namespace tilewright
