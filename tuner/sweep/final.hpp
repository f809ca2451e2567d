// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <vector>

#include "tuner/sweep/compile_ahead.hpp"
#include "tuner/sweep/inspector.hpp"
#include "tuner/sweep/judge.hpp"

namespace tilewright {

// A screened candidate that may go to the final.
struct Screened {
  std::size_t candidate = 0;
  bool is_default = false;
  double normal_us = 0;  // its median as if measured at the start of the sweep; 0: none
  Trial trial;
};

// For each implementation the fastest of the measured, as many as the rules admit, and its default
// if that was measured; by implementation, then by time.
std::vector<Screened> choose_finalists(const std::vector<Screened>& screened,
                                       const FinalRules& rules);

// Of configurations with equal code one is measured and the others are its duplicates, by which
// compiled sooner. These are the finalists under the names of the first of their equals (the
// default before all), so that the winner's name does not hang on that.
std::vector<Screened> named_after_first(std::vector<Screened> finalists,
                                        const std::vector<Screened>& screened,
                                        const Candidates& candidates, const Inspector& inspector);

// What a final needs besides the finalists.
struct FinalContext {
  const Candidates& candidates;
  std::function<CompileRequest(std::size_t)> compile;  // a candidate's request
  CompileAhead& compilers;
  const Inspector& inspector;
  Judge& judge;
  const std::atomic<bool>& stop;
};

struct FinalResult {
  std::vector<Trial> trials;  // of the final stage, by candidate; none if stopped
  FinalSummary summary;
};

// Verifies the finalists on the session as it is now and measures them in interleaved rounds. One
// that no longer compiles is left out; one that fails has its failure as its trial.
FinalResult run_final(std::vector<Screened> finalists, const ContestRules& rules,
                      const FinalContext& context);

}  // namespace tilewright
