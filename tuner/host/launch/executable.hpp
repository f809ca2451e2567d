#pragma once

#include <memory>

#include "tuner/backend/executable.hpp"

namespace tilewright::host {

// Loads code of HostCompiler. All executables of a process share one set of threads, so their calls
// run one after another. Throws MachineError for code that does not load or cannot run on the CPU.
std::unique_ptr<Executable> make_executable(const ExecutablePlan& plan);

}  // namespace tilewright::host
