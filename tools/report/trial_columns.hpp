#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "db/records/sweep_records.hpp"
#include "tilewright/trial.hpp"

namespace tilewright::tools {

// A number with six significant digits, as JSON; null if it is not finite.
nlohmann::json short_number(double value);

// Text as the report has it: without characters that a reader would not see, and not too long.
std::string short_text(const std::string& text);

// [[name, value], …], both as texts. A list, because names may be anything, "__proto__" too.
nlohmann::json settings_pairs(const Settings& settings);

// The trials of a sweep column by column, in their order, which makes a page with many of them
// small. A column is left out if none of the trials has a value; a missing value is null. Texts
// are indices into a list of distinct ones ("names"). Parameters: {"name", "values", "indices"},
// where -1 stands for a parameter that the implementation does not have. Indices that are all 0 are
// left out.
nlohmann::json trial_columns(const std::vector<Trial>& trials);

// Seconds from the sweep's start to the end of each trial, as the trials say. For those that do not
// say it, the sweep's duration is divided in proportion to what each trial is known to have taken,
// its compile (in one of `compile_processes`) and its timed calls. The final's trials end with the
// sweep.
struct SweepDuration {
  double seconds = 0;        // of all; 0: not known
  double final_seconds = 0;  // of them for the final
  int compile_processes = 1;
};
struct TrialEnds {
  std::vector<double> seconds;
  std::size_t estimated = 0;  // trials that do not say when they ended
};
TrialEnds ends_of(const std::vector<Trial>& trials, const SweepDuration& duration);

}  // namespace tilewright::tools
