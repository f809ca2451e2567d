#pragma once

#include <string>

#include "tuner/backend/evaluator.hpp"

namespace tilewright {

// Where to look if the problem's reference kernel faults: "; check the fills of its integer inputs:
// row_ptr, col_idx are random from 0 to 100". Empty if no input of integers is filled so, as it is
// if the manifest gives no fill.
std::string integer_fill_note(const SessionProblem& problem);

// For a process that died when it opened the session, where reference kernels and those that fill
// run: "; it ran the reference kernel of star for (nx=64)". Empty if it ran none.
std::string opening_note(const SessionPlan& plan);

}  // namespace tilewright
