// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "tuner/search/features.hpp"
#include "tuner/search/forest.hpp"
#include "tuner/search/ledger.hpp"

namespace tilewright {

// The known outcomes as a forest learns them: costs over the best. A failure counts like the
// slowest.
Examples examples_of(const std::vector<Known>& known, const Features& features);

}  // namespace tilewright
