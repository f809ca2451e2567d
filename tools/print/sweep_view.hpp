#pragma once

#include <iosfwd>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "db/store/store.hpp"

namespace tilewright::tools {

// One sweep as `tilewright results` shows it.

enum class Samples { summarised, listed };

// The winner of each implementation, with its margin over the runner-up and the default, the
// fastest first. Implementations without a time are left out.
std::vector<nlohmann::json> margins_of(const SweepRecord& sweep, const std::vector<Trial>& trials);
// Ends with an empty line if there is a margin.
void print_margins(std::ostream& out, const SweepRecord& sweep,
                   const std::vector<nlohmann::json>& margins);

// The sweep whose id begins with `prefix`, which is the value of --`option`. Throws InputError if
// there is none, or more than one.
const SweepRecord& find_sweep(const std::vector<SweepRecord>& sweeps, const std::string& option,
                              const std::string& prefix);

struct NumberedTrial {
  std::size_t number = 0;  // in the sweep, from 1
  Trial trial;
};

// Those with times first: those of the final before those of the screening, and the fastest first.
// The others follow by outcome.
std::vector<NumberedTrial> sorted(std::vector<Trial> trials);

// For each trial a line of figures that begins with its number, then its configuration and
// further details.
void print_trials(std::ostream& out, std::span<const NumberedTrial> trials, Samples samples);
nlohmann::json json_of(const Trial& trial);  // with the raw samples

// How many trials had which outcome, without those of the final.
void print_outcomes(std::ostream& out, const std::vector<Trial>& trials);

}  // namespace tilewright::tools
