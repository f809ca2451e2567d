#pragma once

#include <string>

#include "db/records/answer_rows.hpp"

namespace tilewright {

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
