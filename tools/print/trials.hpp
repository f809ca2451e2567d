#pragma once

#include <cstddef>
#include <iosfwd>
#include <span>
#include <string>

#include "tilewright/trial.hpp"
#include "tools/print/names.hpp"

namespace tilewright::tools {

struct NumberedTrial {
  std::size_t number = 0;  // in the sweep, from 1
  Trial trial;
  bool is_winner = false;    // of its implementation
  std::string metrics = {};  // a text; empty: none
};

enum class Samples { summarised, listed };

// For each trial a line of figures that begins with its number, then its configuration and further
// details. Where it failed, the line of its message that says why; full: the whole message.
void print_trials(std::ostream& out, std::span<const NumberedTrial> trials,
                  const StoredNames& names, Samples samples, Detail detail);

// "49.5 µs to 49.8 µs"
std::string interval_text(double low_us, double high_us);

}  // namespace tilewright::tools
