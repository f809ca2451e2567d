// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "db/store/store.hpp"

namespace tilewright::tools {

// One sweep as `tilewright results` shows it.

enum class Samples { summarised, listed };

// Of each implementation the winner, with its margin over the runner-up and the default;
// then an empty line.
void print_margins(std::ostream& out, const SweepRecord& sweep, const std::vector<Trial>& trials);
nlohmann::json json_of_margins(const SweepRecord& sweep, const std::vector<Trial>& trials);

// The sweep whose id begins with `prefix`, the value of --`option`. Throws InputError: none, or
// several.
const SweepRecord& find_sweep(const std::vector<SweepRecord>& sweeps, const std::string& option,
                              const std::string& prefix);

// Times first, fastest first and the final before the screening; then the rest by outcome. Gives
// the trials' numbers: from 1, in the order in which they were.
std::vector<std::size_t> sort_trials(std::vector<Trial>& trials);

// A line of figures for each trial, its number first; below it the configuration and what more
// there is to say.
void print_trials(std::ostream& out, const std::vector<Trial>& trials,
                  const std::vector<std::size_t>& numbers, Samples samples);
nlohmann::json json_of(const Trial& trial);  // with the raw samples

// How many trials had which outcome, those of the final stage left out.
void print_outcomes(std::ostream& out, const std::vector<Trial>& trials);

}  // namespace tilewright::tools
