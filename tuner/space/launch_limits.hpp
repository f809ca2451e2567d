// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "tuner/space/formulas.hpp"
#include "tuner/space/key_table.hpp"
#include "tuner/space/limits.hpp"

namespace tilewright {

// The hardware's limits for configurations by the million: those whose launches, workspace and
// estimate have equal numbers are judged once.
class LaunchLimits {
 public:
  // Adds what launches are worked out from to `formulas`, which must outlive it.
  LaunchLimits(const Operation& operation, const Implementation& implementation,
               Formulas& formulas);

  // The parameters on which the answer may depend.
  const std::vector<std::size_t>& parameters() const { return parameters_; }

  // `values` by parameter. `judge` is asked where these numbers are new or not all of them can be
  // worked out; what it throws passes through.
  const std::optional<Violation>& violation(std::span<const std::int64_t> values,
                                            const std::function<std::optional<Violation>()>& judge);

 private:
  const Formulas& formulas_;
  std::vector<FormulaId> numbers_;
  std::vector<std::size_t> parameters_;
  KeyTable known_;
  std::vector<std::optional<Violation>> verdicts_;  // by key
  std::vector<std::int64_t> key_;                   // scratch
  std::optional<Violation> unknown_;                // the last that no key stands for
};

}  // namespace tilewright
