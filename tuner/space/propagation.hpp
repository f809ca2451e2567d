#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "tuner/space/diagram.hpp"
#include "tuner/space/formulas.hpp"

namespace tilewright {

// By parameter: the place of its value among its values.
using Places = std::vector<std::uint32_t>;

// What combinations must satisfy. The first rule that is broken counts.
struct Conditions {
  const Formulas& formulas;
  std::vector<FormulaId> rules;
  // Evaluates the expression of a rule whose formula has no result; nothing if it has none either.
  // Parameters that the rule does not mention may have any place.
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

// Dynamic programming over the expression trees. It binds one parameter after the other. Instead of
// prefixes it keeps the values of the largest parts of open rules that are already fixed. Prefixes
// with equal values become one group with a count, so every combination is counted without being
// enumerated. A rule is judged as soon as ranges and divisibility decide it for all values to come,
// at the latest when its last parameter is bound. One step tries one value after one group; with
// thousands of formulas it counts as several. The order is the manifest's, or a greedy one if that
// takes more than a tenth of `steps`. Nothing if the greedy order takes more than `steps`, or more
// than about 1 GB of memory. The number of combinations must fit into 63 bits.
std::optional<Propagated> propagate(const Conditions& conditions, std::int64_t steps);

}  // namespace tilewright
