#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tilewright/device.hpp"
#include "tilewright/policy.hpp"
#include "tilewright/settings.hpp"
#include "tilewright/statistics.hpp"
#include "tilewright/trial.hpp"

namespace tilewright {

// 0 if the trial has no time.
inline double median_of(const Trial& trial) {
  return trial.timing ? trial.timing->median_us : 0;
}

// How much of a sweep that is not finished was tried.
struct Progress {
  std::size_t tried = 0;
  std::size_t total = 0;  // that the sweep may try; 0: not known

  bool operator==(const Progress&) const = default;
};

// "not finished, 61 of 512 tried"
inline std::string to_text(const Progress& progress) {
  const std::string of = progress.total > 0 ? " of " + std::to_string(progress.total) : "";
  return "not finished, " + std::to_string(progress.tried) + of + " tried";
}

// The stored answer for one implementation, device, problem, policy and power limit.
struct BestRow {
  std::string implementation;
  Configuration configuration;
  Trial trial;                     // the winning measurement; if robust, with both times
  std::int64_t trial_id = 0;       // its row id; 0: not read from a store
  double default_median_us = 0;    // 0: the default was not measured
  double runner_up_median_us = 0;  // 0: there is none
  std::size_t measured = 0;        // configurations with a time in that sweep
  bool tie = false;                // the winner ties with another configuration
  bool superseded = false;  // by the answer under another power limit, if limits do not count
  Problem problem;
  Device device;
  Policy policy;
  Environment environment;
  std::string sweep_uuid;
  std::int64_t finished = 0;  // of an unfinished sweep that is looked up: when it was begun
  std::optional<Progress> unfinished;  // of the sweep; none: it is finished
  bool imported = false;
  bool shipped = false;    // from a file that came with tilewright, not from a database
  std::int64_t epoch = 1;  // of the implementation, as the sweep saw it
  std::string source_hash;
  std::optional<Configuration> runner_up;              // none: there is none
  std::optional<Configuration> default_configuration;  // none: it was not measured
  bool other_source = false;      // of a bundle: its code is not the code that was measured
  std::string confirmed_sources;  // hashes of the sources with which rechecks confirmed it
  std::int64_t confirmed = 0;     // time of the newest confirmation that confirms(); 0: none
  Environment confirmed_environment;
};

// A configuration that is good over all tuned problems of an operation on a device, or a default
// that the others are compared with.
struct PortableRow {
  Device device;
  std::string implementation;
  std::int64_t epoch = 1;
  Configuration configuration;
  double mean_ratio = 1;           // its time ÷ the winner's, geometric mean; docs/database.md
  std::size_t measured = 0;        // tuned problems for which it has a time
  std::size_t tuned = 0;           // tuned problems
  std::int64_t shared_bytes = -1;  // per block, the most of its trials; -1: not known
};

// What sweeps of one problem on one device found to be wrong, if no newer sweep found it right.
struct KnownWrong {
  std::string implementation;  // "gemm/tiled"
  std::int64_t epoch = 1;
  std::string source_hash;                     // as the newest such sweep saw it
  std::optional<Configuration> configuration;  // none: all that were tried, and none was right
  Outcome outcome = Outcome::wrong_answer;     // or wrote_out_of_bounds, faulted
  Problem problem;
  DeviceKind kind = DeviceKind::cuda;
  std::string device;     // its name
  std::size_t wrong = 0;  // without a configuration: so many were wrong
  std::size_t tried = 0;  // of so many

  bool operator==(const KnownWrong&) const = default;
};

// A configuration of an implementation that any sweep has tried.
struct TriedConfiguration {
  std::string implementation;  // "gemm/tiled"
  std::int64_t epoch = 1;
  std::string configuration;       // canonical JSON
  bool is_default = false;         // of its implementation, as one of the sweeps saw it
  std::int64_t shared_bytes = -1;  // per block, the most of any of its trials; -1: not known
};

// A problem that has a stored answer.
struct TunedProblem {
  Problem problem;
  Policy policy;
  double best_us = 0;      // the winner's median
  std::size_t winner = 0;  // of all implementations, into LossTable::configurations
};

// The time of a configuration for a problem, relative to the winner's.
struct TimedPair {
  std::size_t problem = 0;  // into LossTable::problems
  double ratio = 1;         // from 1; the loss is ratio − 1
};

// All stored times of one operation on one device. Each is divided by the time of the problem's
// winner in the same stage of the same sweep, or by its stored time if it was not measured there.
// Of a robust sweep's final it is the worse of the two ratios, cold and warm.
// Of several times of a configuration the newest sweep's counts, and there the final's. Pairs that
// were not measured, or that failed in the final, are left out.
struct LossTable {
  std::vector<TunedProblem> problems;
  std::vector<TriedConfiguration> configurations;
  std::vector<std::vector<TimedPair>> times;  // by configuration, in the problems' order
};

// What a recheck found out about a stored winner. Databases store the names, so the list only
// grows.
enum class Verdict {
  holds,         // right answers in the stored time, and still the fastest of those compared
  moved,         // the time has changed, or another configuration is faster now
  failed,        // no longer has a definition, compiles, launches or gives right answers
  same_code,     // compiled only: the code is the one that was measured
  code_changed,  // compiled only: the code is different
};

inline constexpr std::array<std::string_view, 5> kVerdictNames = {"holds", "moved", "failed",
                                                                  "same_code", "code_changed"};

constexpr std::string_view to_text(Verdict verdict) {
  return kVerdictNames.at(static_cast<std::size_t>(verdict));
}

// Whether the stored answer may still be trusted.
constexpr bool confirms(Verdict verdict) {
  return verdict == Verdict::holds || verdict == Verdict::same_code;
}

struct ConfirmedTime {
  double median_us = 0;
  double interval_low_us = 0;
  double interval_high_us = 0;
  double sm_mhz = 0;  // 0: not known

  bool operator==(const ConfirmedTime&) const = default;
};

// One recheck of one trial that `best` names.
struct Confirmation {
  std::int64_t trial = 0;  // BestRow::trial_id
  Environment environment;
  std::int64_t at = 0;  // seconds since 1970, UTC; 0 when added: now
  Verdict verdict = Verdict::failed;
  std::string message;
  std::string code_hash;              // of the code as compiled by the recheck; empty: none
  std::string source_hash;            // of the source that it was compiled from; empty: not known
  std::optional<ConfirmedTime> time;  // none: nothing was measured

  bool operator==(const Confirmation&) const = default;
};

}  // namespace tilewright
