// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tuner/space/formulas.hpp"

namespace tilewright {

// Numbers that a formula may have while some parameters are not yet bound: from `low` to `high`,
// all of them multiples of `step` (0: the only number is 0).
struct Range {
  std::int64_t low = 0;
  std::int64_t high = 0;
  std::int64_t step = 1;
  bool always_has_result = true;

  static Range of(std::int64_t number);
  static Range of(std::span<const std::int64_t> numbers);  // at least one
  bool is_single() const { return low == high; }
};

enum class Outlook { always_true, always_false, open };

// What the formula comes to for all values within `ranges` (by parameter); `open` where that
// cannot be said or some of them may have no result. Interval arithmetic with divisibility: never
// wrong, not always as sharp as could be.
// `known` as for Formulas::evaluate.
Outlook outlook(const Formulas& formulas, FormulaId id, std::span<const Range> ranges,
                std::span<const WorkedOut> known = {});

}  // namespace tilewright
