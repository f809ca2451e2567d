// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "tilewright/device.hpp"

namespace tilewright {

// Where timed calls find their operands. warm: they reuse one set. cold: they rotate through sets
// that together exceed three times the L2. robust: finalists are measured both ways, and the winner
// has the least ratio to the best under the worse of the two.
enum class CachePolicy { warm, cold, robust };

// Whether routines of foreign libraries, such as cublasLt's, take part in sweeps and answer. off:
// they count as not defined.
enum class Libraries { on, off };

// The submission of what an evaluator calls and times itself (docs/evaluator.md).
inline constexpr const char* kTimedByAuthor = "author";

// How times are taken (docs/measurement.md). It is part of a result's key, so results of different
// policies never overwrite each other.
struct Policy {
  CachePolicy cache = CachePolicy::robust;
  std::string submission = "graph";  // as CUDA graphs; "call" on the host device; kTimedByAuthor

  auto operator<=>(const Policy&) const = default;
};

// Robust, because applications do not know what the caches hold. The host device is only measured
// warm.
inline CachePolicy default_cache_policy(const Device& device) {
  return runs_on_cpu(device.kind) ? CachePolicy::warm : CachePolicy::robust;
}

// The policy of a sweep's screening.
inline CachePolicy screening_policy(CachePolicy cache) {
  return cache == CachePolicy::robust ? CachePolicy::cold : cache;
}

inline std::string to_text(CachePolicy cache) {
  switch (cache) {
    case CachePolicy::warm:
      return "warm";
    case CachePolicy::cold:
      return "cold";
    case CachePolicy::robust:
      break;
  }
  return "robust";
}

// `warm/graph`: the key under which results are stored.
inline std::string to_text(const Policy& policy) {
  return to_text(policy.cache) + '/' + policy.submission;
}

}  // namespace tilewright
