#pragma once

#include <string>

#include "tuner/backend/compiler.hpp"

namespace tilewright::host {

// A note for each entry that several kernels have as their name, if the compiler's log says that an
// overload could not be chosen. It lists them as the source declares them.
std::string overload_notes(const std::string& log, const CompileRequest& request);

}  // namespace tilewright::host
