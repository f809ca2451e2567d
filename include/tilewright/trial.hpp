// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tilewright/policy.hpp"
#include "tilewright/settings.hpp"

namespace tilewright {

// What became of a configuration. Databases store the names, so the list only grows.
enum class Outcome {
  measured,             // gave right answers and was timed
  pruned,               // exceeds a limit; Trial::rule names it
  duplicate,            // has the code and launch of another trial, which holds the time
  compile_failed,       // the compiler's log is the message
  compile_timed_out,    // exceeded the time or memory limit of the compile process
  launch_failed,        // the driver refused it; the device is unharmed
  faulted,              // killed its worker: illegal address, trap, misaligned access
  timed_out,            // ran longer than its limit
  wrong_answer,         // differs from the reference, or left outputs unwritten
  wrote_out_of_bounds,  // changed a guard zone or an input
  unsupported,          // this backend cannot run it
  machine_failed,       // too little memory, a worker that was killed from outside, a compiler that
                        // ended without a word
};

inline constexpr std::array<std::string_view, 12> kOutcomeNames = {
    "measured",      "pruned",        "duplicate", "compile_failed", "compile_timed_out",
    "launch_failed", "faulted",       "timed_out", "wrong_answer",   "wrote_out_of_bounds",
    "unsupported",   "machine_failed"};

// Those that a busy or small machine may cause. Nothing reuses them: the compiled code's cache does
// not keep them, and a later sweep tries the configuration again.
inline constexpr std::array kMaybeOfMachine = {Outcome::compile_timed_out, Outcome::timed_out,
                                               Outcome::machine_failed};

constexpr bool may_be_of_machine(Outcome outcome) {
  for (const Outcome one : kMaybeOfMachine)
    if (one == outcome) return true;
  return false;
}

constexpr std::string_view to_text(Outcome outcome) {
  return kOutcomeNames.at(static_cast<std::size_t>(outcome));
}

constexpr std::optional<Outcome> outcome_from(std::string_view name) {
  for (std::size_t i = 0; i < kOutcomeNames.size(); ++i)
    if (kOutcomeNames.at(i) == name) return static_cast<Outcome>(i);
  return std::nullopt;
}

// What one block of the launch that needs most takes, as the compiler reports. -1: not known.
struct Resources {
  int registers = -1;              // per thread
  std::int64_t shared_bytes = -1;  // static and dynamic, per block
  std::int64_t spill_bytes = -1;   // stores and loads, per thread
  std::int64_t stack_bytes = -1;   // per thread
  int threads = -1;                // per block
  int blocks_per_sm = -1;          // resident at once
  double occupancy = -1;           // resident warps over the SM's limit

  bool operator==(const Resources&) const = default;
};

// Times of one call in microseconds.
struct Timing {
  std::vector<double> samples_us;  // raw, in the order taken, without the discarded first one
  double median_us = 0;
  double interval_low_us = 0;  // 95 % interval of the median
  double interval_high_us = 0;
  double lower_us = 0;  // first quartile
  double upper_us = 0;  // third quartile
  double minimum_us = 0;
  int calls_per_sample = 0;
  int rounds = 1;     // equal parts of the samples, between which others were measured
  double sm_mhz = 0;  // clock before and after the samples, of several rounds
                      // the mean; 0: not known
  std::optional<CachePolicy> cache = {};             // none: the sweep's
  std::optional<double> power_w = {};                // of the device, at most 0.5 s before; of
                                                     // several rounds the mean
  std::optional<double> energy_mj = {};              // of one call
  std::optional<double> temperature_c = {};          // of the device, the highest
  std::optional<std::string> throttle_reasons = {};  // with commas between them; empty: none

  bool operator==(const Timing&) const = default;
};

// How an answer was checked.
struct Verification {
  std::int64_t outputs_checked = 0;  // that were compared with the reference, over all problems
  std::int64_t outputs_total = 0;    // that were tested for unwritten values and guard zones
  double worst_error = 0;            // largest |output − reference|
  double worst_ratio =
      0;  // largest |output − reference| ÷ allowed; above 1 only of allowed mismatches
  std::uint64_t seed = 0;  // of the inputs

  bool operator==(const Verification&) const = default;
};

// Which part of a sweep took a measurement. Later stages are more careful.
enum class Stage { screen, final };

constexpr std::string_view to_text(Stage stage) {
  return stage == Stage::screen ? "screen" : "final";
}

// One configuration that a sweep tried. Every trial is a row in the database.
struct Trial {
  std::string implementation;
  Configuration configuration;
  Outcome outcome = Outcome::pruned;
  Stage stage = Stage::screen;
  std::string rule;       // for `pruned`: the rule's name
  std::string message;    // the numbers that broke the rule, the log, or the error
  std::string code_hash;  // of the compiled code, hexadecimal; empty: none
  double compile_ms = 0;  // 0: taken from the cache, or not compiled
  std::optional<Resources> resources;
  std::optional<Verification> verification;
  std::optional<Timing> timing;       // if, and only if, `measured`; if robust, with cold operands
  std::optional<Timing> warm_timing;  // with warm ones; only of a robust sweep
  std::optional<double> ended_s;      // seconds that its sweep had run by then; none: not known

  bool operator==(const Trial&) const = default;
};

}  // namespace tilewright
