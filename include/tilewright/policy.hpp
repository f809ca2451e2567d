// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "tilewright/device.hpp"

namespace tilewright {

// Whether calls reuse one set of operands (`warm`) or rotate through sets that together exceed
// three times the L2 (`cold`).
enum class CachePolicy { warm, cold };

// How times are taken (docs/measurement.md). It is part of a result's key, so results of different
// policies never overwrite each other.
struct Policy {
  CachePolicy cache = CachePolicy::warm;
  std::string submission = "graph";  // as CUDA graphs; "call" on the host device

  bool operator==(const Policy&) const = default;
};

// Warm for operands under a quarter of the L2, else cold. The host device is only measured warm.
inline CachePolicy default_cache_policy(std::int64_t operand_bytes, const Device& device) {
  const bool is_warm = runs_on_cpu(device.kind) || operand_bytes < device.l2_bytes / 4;
  return is_warm ? CachePolicy::warm : CachePolicy::cold;
}

inline std::string to_text(CachePolicy cache) {
  return cache == CachePolicy::warm ? "warm" : "cold";
}

// `warm/graph`: the key under which results are stored.
inline std::string to_text(const Policy& policy) {
  return to_text(policy.cache) + '/' + policy.submission;
}

}  // namespace tilewright
