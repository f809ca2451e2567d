// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <vector>

#include "tuner/sweep/compile_ahead.hpp"
#include "tuner/sweep/judge.hpp"

namespace tilewright {

// A screened candidate that may go to the final.
struct Screened {
  std::size_t candidate = 0;
  bool is_default = false;
  Trial trial;
};

// For each implementation the `per_implementation` fastest of the measured, and its default if
// that was measured; by implementation, then by time.
std::vector<Screened> choose_finalists(const std::vector<Screened>& screened,
                                       std::size_t per_implementation);

// Measures the finalists again, in rounds of random order from `seed`, and returns their trials
// of the final stage; none if stopped. One that no longer compiles is left out. `compile` gives a
// candidate's request.
std::vector<Trial> run_final(std::vector<Screened> finalists, const Candidates& candidates,
                             const std::function<CompileRequest(std::size_t)>& compile,
                             CompileAhead& compilers, Judge& judge, std::uint64_t seed,
                             const std::atomic<bool>& stop);

}  // namespace tilewright
