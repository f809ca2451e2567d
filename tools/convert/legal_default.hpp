#pragma once

#include <vector>

#include "tools/convert/t1_problem.hpp"

namespace tilewright::tools {

// Sets the parameters' defaults to a configuration that fulfils all conditions, with as many of the
// given defaults in front as possible. Throws InputError if there is none, or if it is not found in
// a million steps.
void choose_legal_default(std::vector<T1Parameter>& parameters,
                          const std::vector<T1Condition>& conditions);

}  // namespace tilewright::tools
