#pragma once

#include <memory>

#include "tuner/backend/executable.hpp"

namespace tilewright::cuda {

// Loads a cubin into the calling thread's current context if that belongs to the plan's device,
// else into the device's primary context. The thread's current context stays the same. Throws
// MachineError if there is no such device, the code does not load, or a launch does not match its
// kernel's parameters.
std::unique_ptr<Executable> make_executable(const ExecutablePlan& plan);

}  // namespace tilewright::cuda
