// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <map>

#include "tilewright/statistics.hpp"
#include "tools/bench/peers/cases.hpp"
#include "tools/bench/peers/ceilings.hpp"
#include "tools/bench/peers/own_kernel.hpp"
#include "tools/bench/peers/rivals.hpp"

namespace tilewright::bench {

// One side of a pair.
struct Side {
  std::string how;
  OutputComparison accuracy;  // against float64; a message: outside the tolerance
  Timing timing;
};

// The stored winner beside one rival.
struct Match {
  std::string item;  // the case
  std::string rival;
  std::string note;
  std::string why_not;  // empty: measured
  Side ours;
  Side theirs;
  Ratio ratio;       // theirs over ours
  double flops = 0;  // useful work of a call
  double bytes = 0;  // least traffic of a call
  double floor_us = 0;

  bool is_measured() const { return why_not.empty(); }
};

// Measures matches one after another. What one case needs is made once and kept until the next.
class Tournament {
 public:
  // Both must outlive it.
  Tournament(Arena& arena, Ceilings& ceilings, std::vector<std::filesystem::path> libraries);

  // What cannot compete is in the match's why_not. Throws MachineError once the device is lost.
  Match play(const Case& item, const Rival& rival);

 private:
  // A problem with the stored winner's configuration on it.
  struct Home {
    SweepRequest request;
    Corner ours;
    OutputComparison accuracy;
  };
  const Home& home_of(const Case& item, const Rival& rival);
  void measure(const Case& item, const Rival& rival, Match& match);

  Arena& arena_;
  Ceilings& ceilings_;
  std::vector<std::filesystem::path> libraries_;
  std::string present_;                // name of the case that homes_ are of
  std::map<std::string, Home> homes_;  // by problem
};

}  // namespace tilewright::bench
