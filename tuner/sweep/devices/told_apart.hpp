#pragma once

#include <string>
#include <vector>

#include "definition/definition.hpp"
#include "tuner/backend/evaluator.hpp"

namespace tilewright {

// "zeros", "input x", "missing term", "1.01 times"
std::string name_of(const SimpleAnswer& answer);

// Throws InputError if zeros or an input would pass the comparison of the tuned problem.
void require_told_apart(const std::vector<SimpleAnswer>& answers, const Operation& operation);

}  // namespace tilewright
