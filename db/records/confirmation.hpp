#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tilewright/device.hpp"

namespace tilewright {

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
