// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "tilewright/trial.hpp"
#include "tuner/backend/evaluator.hpp"
#include "tuner/verify/compare_elements.h"
#include "tuner/verify/expected.hpp"

namespace tilewright {

using elements::kGuardByte;
using elements::kGuardBytes;
using elements::kPoison;

// How one output compares: differences over what docs/manifest.md allows. `message` names the
// first wrong element and is empty if all are right. A NaN, or a float still holding poison, is
// wrong wherever it stands, compared or not.
struct OutputComparison {
  std::int64_t checked = 0;
  double worst_error = 0;
  double worst_ratio = 0;
  std::string message;
};
OutputComparison compare_output(std::span<const std::uint8_t> output, const PlannedBuffer& buffer,
                                const Expected& expected, const ReferencePlan& rules);

// Offset of the first byte that is not kGuardByte, if any.
std::optional<std::int64_t> first_damage(std::span<const std::uint8_t> guard);

}  // namespace tilewright
