#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "db/store/store.hpp"
#include "definition/metric.hpp"

namespace tilewright {

// Exports are in a stable order and end with a newline.

// Keys of a stored report whose values are paths of this machine, which exports leave out: the
// manifests of a sweep of ours, and those that the user named when the sweep was imported.
inline constexpr const char* kOwnManifests = "manifests";
inline constexpr const char* kNamedManifests = "named_manifests";

// All data of the matching finished sweeps: `{"format": "tilewright", "version": 2,
// "sweeps": […]}`. A sweep names the store that measured it, if that is known. import_json reads
// it. A trial with a time has its metrics as "metrics" if `metrics_of` gives any; import_json
// ignores them.
std::string export_json(const Store& store, const Query& query, const MetricsOf& metrics_of = {});

// The same of these sweeps, without a store. Includes unfinished ones.
std::string export_json(std::vector<Store::Imported> sweeps, const MetricsOf& metrics_of = {});

// A column besides the usual ones.
struct CsvColumn {
  std::string name;
  std::function<std::string(const BestRow&)> cell;
};

// A header line, and one line for each row. If any row has a known power limit, "power_limit_w"
// comes before the other columns besides the usual ones.
std::string export_csv(const std::vector<BestRow>& rows, std::vector<CsvColumn> columns = {});

// Also reads version 1, whose intervals are those between the quartiles. Throws InputError if the
// text is not JSON, truncated, of another program or of a newer version, has an unknown outcome, or
// numbers that no measurement can give (definition/json/border.hpp).
// `name` is the file's name for messages.
std::vector<Store::Imported> import_json(std::string_view text, const std::string& name);

}  // namespace tilewright
