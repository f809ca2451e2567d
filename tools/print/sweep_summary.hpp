#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "campaign/campaign.hpp"
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

}  // namespace tilewright::tools
