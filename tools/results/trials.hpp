#pragma once

#include <cstddef>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "campaign/prepared_sweep.hpp"
#include "definition/metric.hpp"
#include "tilewright/trial.hpp"
#include "tools/input/options.hpp"
#include "tools/print/names.hpp"

namespace tilewright::tools {

struct NumberedTrial {
  std::size_t number = 0;  // in the sweep, from 1
  Trial trial;
  bool is_winner = false;    // of its implementation
  std::string metrics = {};  // a text; empty: none
};

// A stored sweep and its operation's definition; null if that was not found.
struct KnownSweep {
  const SweepRecord& record;
  const Operation* operation = nullptr;

  std::optional<Objective> objective() const;
};

// The outcomes that --outcome takes.
std::vector<std::string> outcome_names();

// Those that `outcome` wants, in the order of --sort; empty: the default. By time, those of the
// final come before those of the screening, and those without a time follow by outcome. By a
// metric, the best comes first. By another figure, unknown ones come last.
struct TrialWish {
  std::string outcome;  // --outcome; empty: all
  std::string sort;     // --sort
};
std::vector<NumberedTrial> chosen_trials(const TrialWish& wish, std::vector<Trial> trials,
                                         const KnownSweep& sweep);

enum class Samples { summarised, listed };

// For each trial a line of figures that begins with its number, then its configuration and further
// details. Where it failed, the line of its message that says why; full: the whole message.
void print_trials(std::ostream& out, std::span<const NumberedTrial> trials,
                  const StoredNames& names, Samples samples, Detail detail);

}  // namespace tilewright::tools
