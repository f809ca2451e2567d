// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <vector>

#include "db/ladder/ladder.hpp"

namespace tilewright {

// What does well over all problems tuned on one device, where it may run for this question: rows of
// the device itself first, then of the nearest compute capability, in their order. It must have
// done better there than the default that `standing` would serve; with no default standing, or
// none that was measured there, any may answer. Nothing without a device.
std::optional<LadderAnswer> portable_answer(const LadderQuestion& question,
                                            const std::vector<PortableRow>& rows,
                                            const std::optional<LadderAnswer>& standing);

}  // namespace tilewright
