#pragma once

#include <iosfwd>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "campaign/campaign.hpp"
#include "campaign/sweep_report.hpp"
#include "db/store/store.hpp"
#include "tools/print/names.hpp"

namespace tilewright::tools {

// How the user named what was swept, ready for a shell.
struct CommandWords {
  std::string subject;  // "gemm M=N=K=1024", "mine.toml width=4096 --device host"
  std::string places;   // " --db FILE": options that say where things are, or empty
};

// What a sweep found, in at most 12 lines of 100 columns: the fastest configuration, what failed,
// why the search ended, and what to do next. One more line for each way to fail has an example's
// reason. REQUIRES a record.
void print_summary(std::ostream& out, const PreparedSweep& sweep, const StoredSweep& answer,
                   const CommandWords& words);

// The fastest configuration in one line; nothing if there is none.
void print_winner(std::ostream& out, const PreparedSweep& sweep, const StoredSweep& answer);

// One line a problem, then what all sweeps took together.
void print_shapes(std::ostream& out, const Target& target, const std::vector<StoredSweep>& answers,
                  Detail detail);

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

// How well the comparison tells simple wrong answers of the tuned problem from the right ones, a
// text for each output: "y: zeros 100 %, input x 100 %, missing term 12 %, 1.01 times 98 %". Shares
// are of the elements that are wrong. Empty if the stored report has no such figures.
std::vector<std::string> check_texts(const nlohmann::json& report);

// The same as sentences: "wrong answers found in the argument `y`: zeros 100 %, …".
std::vector<std::string> found_wrong_texts(const nlohmann::json& report);

// Sentences: which simple answers do not count because they are right.
std::vector<std::string> uncounted_texts(const nlohmann::json& report);

// A sentence if some output may be 1 % wrong in every problem; else empty.
std::string weak_check(const nlohmann::json& report);

// `cuts` as json_of() makes them. Brief: with what each rule requires, if "require" says it. Full:
// with an example of each.
void print_cuts(std::ostream& out, const nlohmann::json& cuts, const std::string& indent,
                Detail detail);

}  // namespace tilewright::tools
