#pragma once

#include <cstddef>
#include <string>

#include "tools/show/reproducer.hpp"

// How a reproducer's source writes the arguments of its launches.
namespace tilewright::tools {

// The contents of the argument with that number before a call.
std::string contents(const PlannedBuffer& buffer, std::size_t index);

// What a launch of the plan passes.
std::string parameter_text(const PlannedArgument& argument, const LaunchPlan& plan,
                           const ReproducedProblem& problem);

}  // namespace tilewright::tools
