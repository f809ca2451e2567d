#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <vector>

#include "tuner/sweep/compile_ahead.hpp"
#include "tuner/sweep/devices/judge.hpp"
#include "tuner/sweep/prepare/inspector.hpp"

namespace tilewright {

// A screened candidate that may go to the final.
struct Screened {
  std::size_t candidate = 0;
  bool is_default = false;
  double normal_us = 0;  // median, corrected to the start of the sweep; 0: none
  Trial trial;
};

// The trial with its medians as they would have been at the start of the sweep.
Trial at_the_start(Trial trial, double normal_us);

// With what is minimised in place of the times, if that is something else.
Screened judged(Screened item, const std::optional<Objective>& objective);

// For each implementation: the best measured configurations that the rules admit, and the default
// if it was measured. They are judged by their ratio to the implementation's fastest, or by the
// worse of two ratios if they have times under two policies. Ordered by implementation, then by
// that.
std::vector<Screened> choose_finalists(const std::vector<Screened>& screened,
                                       const FinalRules& rules, Load load = Load::usual);

// Of configurations with equal code, the one that compiled first is measured, and the others are
// its duplicates. Here each finalist gets the name of the first of them in the list of candidates,
// or of the default. So the winner's name does not depend on the order of the compiles.
std::vector<Screened> named_after_first(std::vector<Screened> finalists,
                                        const std::vector<Screened>& screened,
                                        const Candidates& candidates, const Inspector& inspector);

// Everything that a final needs besides the finalists.
struct FinalContext {
  const Candidates& candidates;
  std::function<CompileRequest(std::size_t)> compile;  // a candidate's request
  CompileAhead& compilers;
  const Inspector& inspector;
  Judge& judge;
  const std::atomic<bool>& stop;
};

struct FinalResult {
  std::vector<Trial> trials;  // of the final, by candidate; none if stopped in the first round
  FinalSummary summary;
};

// Runs the fastest of these, on the open session, until the device's clock is that of one that
// never rests.
Load settle(const std::vector<Screened>& finalists, const FinalContext& context);

// Verifies the finalists on the open session and measures them in interleaved rounds. A finalist
// that no longer compiles is left out. The trial of one that fails has its failure. If it is
// stopped, the rounds before count.
FinalResult run_final(std::vector<Screened> finalists, const ContestRules& rules,
                      const FinalContext& context);

}  // namespace tilewright
