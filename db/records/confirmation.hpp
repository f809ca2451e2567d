// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tilewright/device.hpp"

namespace tilewright {

// What a recheck found of a stored winner. Stored by name; the list only grows.
enum class Verdict {
  holds,         // right answers in the stored time, still the fastest of those compared
  moved,         // another time than stored, or another configuration is faster now
  failed,        // no definition, no code, no launch or no right answer any more
  same_code,     // compiled only: the code that was measured
  code_changed,  // compiled only: other code
};

inline constexpr std::array<std::string_view, 5> kVerdictNames = {"holds", "moved", "failed",
                                                                  "same_code", "code_changed"};

constexpr std::string_view to_text(Verdict verdict) {
  return kVerdictNames.at(static_cast<std::size_t>(verdict));
}

// Nothing if `name` is none of the names above.
constexpr std::optional<Verdict> verdict_from(std::string_view name) {
  for (std::size_t i = 0; i < kVerdictNames.size(); ++i)
    if (kVerdictNames.at(i) == name) return static_cast<Verdict>(i);
  return std::nullopt;
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
  std::string code_hash;              // of the code compiled now; empty: none
  std::optional<ConfirmedTime> time;  // none where nothing was measured

  bool operator==(const Confirmation&) const = default;
};

}  // namespace tilewright
