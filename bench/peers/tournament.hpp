#pragma once

#include <map>

#include "bench/peers/cases/cases.hpp"
#include "bench/peers/cases/match.hpp"
#include "bench/peers/rivals/ceilings.hpp"
#include "bench/peers/rivals/own_kernel.hpp"
#include "bench/peers/rivals/rivals.hpp"
#include "tuner/measure/machine_watch.hpp"

namespace tilewright::bench {

// Measures matches one after another. What a case needs is made once and kept until the next case.
class Tournament {
 public:
  // All three must outlive it. The monitor is of the arena's GPU.
  Tournament(Arena& arena, Ceilings& ceilings, MachineMonitor& monitor,
             std::vector<std::filesystem::path> libraries);

  // If a side cannot compete, the match's why_not says why. Throws MachineError if the device is
  // lost.
  Match play(const Case& item, const Rival& rival);

 private:
  // A problem with the stored winner for it.
  struct Home {
    SweepRequest request;
    Corner ours;
    OutputComparison accuracy;
  };
  const Home& home_of(const Case& item, const Rival& rival);
  void measure(const Case& item, const Rival& rival, Match& match);

  Arena& arena_;
  Ceilings& ceilings_;
  MachineWatch watch_;
  std::vector<std::filesystem::path> libraries_;
  std::string present_;                // the name of the case that homes_ belong to
  std::map<std::string, Home> homes_;  // by problem
};

}  // namespace tilewright::bench
