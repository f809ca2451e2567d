#pragma once

#include <cstddef>
#include <vector>

#include "tuner/backend/evaluator.hpp"
#include "tuner/verify/expected.hpp"
#include "tuner/verify/reference.hpp"

namespace tilewright {

// Adds what the rules say of simple wrong answers for one output of the session's problem number
// `problem`: zeros, each input that has the output's type and count, a hundredth of the elements
// without a term, and 1.01 times the right answer. `data` are the arguments before a call. A
// missing term is modelled as the `reduction`-th part of an element, of an integer at least 1. A
// type with steps of over 1 % is not scaled. Adds nothing if all elements may be wrong.
void add_simple_answers(std::size_t problem, const std::vector<PlannedBuffer>& buffers,
                        const ArgumentData& data, const Expected& expected,
                        const PlannedComparison& rules, std::vector<SimpleAnswer>& all);

}  // namespace tilewright
