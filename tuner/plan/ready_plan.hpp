#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "tuner/plan/launch_plan.hpp"

namespace tilewright {

// The last steps from a plan to launches, which a backend takes when the code is loaded.

// The name in a grid's expression: how many blocks of the launch the device holds at once.
inline constexpr const char* kResident = "resident";

// Whether the expression uses it.
bool uses_resident(const Expression& expression);

// The expression with every other name worked out, as a text that parses. Throws ExpressionError.
std::string with_resident_alone(const Expression& expression, const Scope& scope);

// Nothing, or why the text is not one of with_resident_alone().
std::optional<std::string> resident_text_error(const std::string& text);

// How many blocks of the launch the device holds at once. Its grid is not known yet.
using ResidentBlocks = std::function<std::int64_t(const PlannedLaunch& launch)>;

// The plan with all grids as numbers. Throws TrialError (launch_failed) for a grid without a result
// or without blocks.
LaunchPlan with_grids(LaunchPlan plan, const ResidentBlocks& resident);

// The plan with every trip of its loops written out. Throws TrialError (launch_failed) for loops
// that are impossible.
LaunchPlan with_trips(LaunchPlan plan);

// The bytes of an argument of a ready plan, as the kernel must declare it. `sizes` are those of the
// operation's arguments as a kernel takes them. Throws TrialError (launch_failed) for one of an
// unknown argument.
std::int64_t parameter_bytes(const PlannedArgument& planned, std::span<const std::int64_t> sizes);

}  // namespace tilewright
