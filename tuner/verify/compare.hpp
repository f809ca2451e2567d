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

// The comparison of one output by the rules of docs/manifest-operation.md. `message` names the
// first wrong element and is empty if all are right. A NaN, which poison also is, is wrong in every
// element, even if that is not compared. As many elements may be wrong as the rules allow, but no
// NaN.
struct OutputComparison {
  std::int64_t checked = 0;
  double worst_error = 0;
  double worst_ratio = 0;
  std::string message;
  std::int64_t wrong = 0;  // also those that are allowed
};
OutputComparison compare_output(std::span<const std::uint8_t> output, const PlannedBuffer& buffer,
                                const Expected& expected, const PlannedComparison& rules);

// The offset of the first byte that is not kGuardByte, if any.
std::optional<std::int64_t> first_damage(std::span<const std::uint8_t> guard);

}  // namespace tilewright
