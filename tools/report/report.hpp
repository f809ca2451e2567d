#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
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

// ---- The page

// The release of plotly.js that the page is written for. tools/setup.sh fetches it in this wheel of
// PyPI. The hash is that of its plotly.min.js, as browsers check it.
inline constexpr const char* kPlotlyVersion = "4.1.1";
inline constexpr const char* kPlotlyHash =
    "sha384-AFNp2MtSm5/oZbEs/J19F/Ah57MEiVsoed8nE3fq2Wnccdl1u/EkyJ9XKKU8rt7+";
inline constexpr const char* kPlotlyUrl = "https://cdn.plot.ly/plotly-4.1.1.min.js";

// The page's element with the library: its text inlined, or a link to it.
std::string inlined_library(const std::string& plotly);
std::string linked_library();

// The HTML page. The browser runs only its own scripts, which carry `nonce`: random characters
// that no writer of the data could know. It loads nothing but the linked library.
std::string report_page(const nlohmann::json& document, const std::string& library,
                        const std::string& nonce);

// 128 random bits, hexadecimal.
std::string new_nonce();

// ---- Parts of the document

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

namespace tilewright {

// The parts of the report's page, as text.
extern const std::string_view kReportPage;
extern const std::string_view kReportStyle;
extern const std::string_view kReportScripts;

}  // namespace tilewright
