#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "tilewright/device.hpp"
#include "tilewright/policy.hpp"
#include "tilewright/statistics.hpp"
#include "tilewright/trial.hpp"

namespace tilewright {

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

}  // namespace tilewright
