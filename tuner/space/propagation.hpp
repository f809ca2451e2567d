// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "tuner/space/diagram.hpp"
#include "tuner/space/formulas.hpp"

namespace tilewright {

// By parameter: the place of its value among its values.
using Places = std::vector<std::uint32_t>;

// What combinations must satisfy, most important rule first.
struct Conditions {
  const Formulas& formulas;
  std::vector<FormulaId> rules;
  // Judges a rule whose formula has no result: whether its expression is true, or nothing if it
  // has none either. Parameters that the rule does not mention may have any place.
  std::function<std::optional<bool>(std::size_t rule, const Places&)> ask;
};

// Combinations that one rule decided.
struct Tally {
  std::int64_t count = 0;
  Places example;  // one of them
};

struct Propagated {
  Diagram satisfying;                 // the combinations that satisfy all rules
  std::vector<Tally> broken;          // by rule: the first that they break
  std::vector<Tally> without_result;  // by rule: the first that is not true has no result
};

// Binds one parameter after the other and keeps, instead of prefixes, what open rules can still
// tell apart: the values of their largest parts that are already fixed. Prefixes that agree there
// are one from then on, with the number of their ways (dynamic programming over the expression
// trees), so that every combination is accounted for without being looked at. A rule is judged as
// soon as ranges and divisibility decide it for all values to come, at the latest when its last
// parameter is bound. The order is the manifest's; where that takes more than a tenth of `steps`
// steps (a value tried after a group of prefixes is one) a greedy one, and nothing comes back if
// that takes more than `steps`. The number of combinations must fit into 63 bits.
std::optional<Propagated> propagate(const Conditions& conditions, std::int64_t steps);

}  // namespace tilewright
