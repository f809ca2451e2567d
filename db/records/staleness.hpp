#pragma once

#include <optional>
#include <string>

#include "db/records/answer_rows.hpp"

namespace tilewright {

// Whether both limits are known, and differ.
inline bool is_other_limit(const std::optional<int>& one, const std::optional<int>& other) {
  return one && other && *one != *other;
}

// Which of several measurements on one device counts under the power limit that the device has now.
// Less comes first. 0: they have one limit, or the present one is not known; 1: the measurement's
// is not known; 2: another one.
inline int limit_distance(const std::optional<int>& measured, const std::optional<int>& present) {
  if (is_other_limit(measured, present)) return 2;
  return present && !measured ? 1 : 0;
}

// The same for stored answers. If neither says more, the one that is not superseded comes first.
inline int limit_distance(const BestRow& row, const std::optional<int>& present) {
  const int distance = limit_distance(row.environment.power_limit_w, present);
  const bool is_decided = present && distance < 2;
  return distance + (row.superseded && !is_decided ? 1 : 0);
}

// "measured at 400 W; this GPU is limited to 700 W"; empty unless is_other_limit().
std::string other_limit_text(const std::optional<int>& measured, const std::optional<int>& present);

// Whether neither the sweep nor the newest confirmation had the present environment. What is not
// known at present is ignored, and so are a power limit that was not stored and tilewright's own
// version.
bool is_stale(const BestRow& row, const Environment& present);

// Why it is stale, for people: "measured at 400 W; this GPU is limited to 700 W", "the software is
// now driver 590.1, NVRTC 13.1". Empty if it is not.
std::string why_stale(const BestRow& row, const Environment& present);

// "driver 580.159.04, NVRTC 13.0".
std::string software_text(const Environment& environment);

}  // namespace tilewright
