#pragma once

#include <string>
#include <vector>

#include "definition/definition.hpp"
#include "definition/source.hpp"

namespace tilewright {

// The parameters whose macros the source, its headers, options and entries do not mention. None
// where that cannot be known: without a text, with headers that are not here, or where names are
// joined.
std::vector<std::string> unused_parameters(const KernelSource& source,
                                           const Implementation& implementation,
                                           const Operation& operation);

// Those with several values that no code depends on, of any unit: configurations that differ only
// in them are compiled once.
std::vector<std::string> parameters_without_code(const KernelSource& source,
                                                 const Implementation& implementation,
                                                 const Operation& operation);

}  // namespace tilewright
