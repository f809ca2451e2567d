// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include "db/records/answer_rows.hpp"
#include "db/records/sweep_records.hpp"

namespace tilewright {

// Whether neither the sweep nor the newest confirmation ran with the software that is present, as
// far as it is known.
bool is_stale(const BestRow& row, const Environment& present);

}  // namespace tilewright
