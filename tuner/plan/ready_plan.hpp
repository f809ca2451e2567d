#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tuner/plan/launch_plan.hpp"

namespace tilewright {

// The last steps from a plan to launches, which a backend takes when the code is loaded.

// The name in a grid's expression: how many blocks of the launch the device holds at once.
inline constexpr const char* kResident = "resident";

// The name in expressions of a loop's launches: the number of the trip, from 0.
inline constexpr const char* kTrip = "trip";

// Whether the expression uses the name.
bool uses(const Expression& expression, std::string_view name);

// The expression with every other name worked out, as a text that parses. Throws ExpressionError.
std::string with_resident_alone(const Expression& expression, const Scope& scope);

// Nothing, or why the text is not one of with_resident_alone().
std::optional<std::string> resident_text_error(const std::string& text);

// How many blocks of the launch the device holds at once. Its grid is not known yet.
using ResidentBlocks = std::function<std::int64_t(const PlannedLaunch& launch)>;

// The plan with all grids as numbers. Throws TrialError (launch_failed) for a grid without a result
// or without blocks.
LaunchPlan with_grids(LaunchPlan plan, const ResidentBlocks& resident);

// A launch of the loop as it is in one trip.
PlannedLaunch in_trip(PlannedLaunch launch, const PlannedLoop& loop, std::int64_t trip);

// The plan with every trip of its loops written out. Throws TrialError (launch_failed) for loops
// that are impossible.
LaunchPlan with_trips(LaunchPlan plan);

// The bytes of an argument of a ready plan, as the kernel must declare it. `sizes` are those of the
// operation's arguments as a kernel takes them. Throws TrialError (launch_failed) for one of an
// unknown argument.
std::int64_t parameter_bytes(const PlannedArgument& planned, std::span<const std::int64_t> sizes);

// Why a kernel with parameters of so many bytes cannot take what a launch of a ready plan passes.
// Nothing if it can. Throws as parameter_bytes().
std::optional<std::string> parameters_error(const PlannedLaunch& launch,
                                            std::span<const std::int64_t> declared,
                                            std::span<const std::int64_t> sizes);

}  // namespace tilewright
