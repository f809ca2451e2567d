#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "db/store/store.hpp"
#include "tools/print/launch_text.hpp"
#include "tools/show/subject.hpp"

namespace tilewright::tools {

// What one sweep found out about a configuration.
struct FoundOut {
  SweepRecord sweep;
  std::size_t number = 0;      // of its last trial, from 1; 0: the sweep did not try it
  std::optional<Trial> trial;  // that trial
  std::size_t rank = 0;        // among the configurations with a time, 1 is the fastest; 0: no time
  std::size_t timed = 0;       // configurations of all implementations with a time
  double best_us = 0;          // the least of these times
};

// A legal configuration that differs in few parameters.
struct Neighbour {
  Configuration configuration;
  std::size_t distance = 0;             // parameters with another value
  double median_us = 0;                 // in the newest sweep that measured it; 0: no time
  std::optional<Outcome> outcome = {};  // in the newest sweep that tried it
};

// Why a configuration is in the space or not, and what became of it.
struct Explanation {
  std::string architecture;              // what the implementation needs and the device lacks
  std::vector<BrokenRule> broken_rules;  // of the manifest
  std::string broken_limit;              // of the hardware, before a compile
  bool default_is_legal = true;          // whether the default configuration breaks no rule
  std::vector<FoundOut> sweeps;          // of this problem and device, the newest first
  std::vector<Neighbour> neighbours;     // the nearest first, then the fastest

  bool is_in_space() const {
    return architecture.empty() && broken_rules.empty() && broken_limit.empty();
  }
};

// `store` may be null. Throws InputError if the configuration has other parameters or values than
// the manifest.
Explanation explain(const Tile& tile, const Store* store, std::size_t most_neighbours);

}  // namespace tilewright::tools
