#pragma once

#include <optional>
#include <string>
#include <vector>

#include "campaign/prepared_sweep.hpp"
#include "definition/metric.hpp"
#include "tools/input/options.hpp"
#include "tools/print/trials.hpp"

namespace tilewright::tools {

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

}  // namespace tilewright::tools
