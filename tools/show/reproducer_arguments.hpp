#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "tools/show/reproducer.hpp"

// How a reproducer's source writes the arguments of its launches.
namespace tilewright::tools {

// The contents of the argument with that number before a call.
std::string contents(const PlannedBuffer& buffer, std::size_t index);

// What a launch of the plan passes.
std::string parameter_text(const PlannedArgument& argument, const LaunchPlan& plan,
                           const ReproducedProblem& problem);

}  // namespace tilewright::tools

namespace tilewright {

// The headers that a reproducer contains, as text.
extern const std::string_view kNarrowFloat;
extern const std::string_view kFillElements;
extern const std::string_view kCompareElements;
extern const std::string_view kReproducerCpu;
extern const std::string_view kReproducerHost;
extern const std::string_view kReproducerInputs;
extern const std::string_view kReproducerHarness;
extern const std::string_view kReproducerCheck;
extern const std::string_view kReproducerGrid;
extern const std::string_view kReproducerTensorMap;
extern const std::string_view kReproducerTexture;

}  // namespace tilewright
