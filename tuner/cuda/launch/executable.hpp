// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "tuner/backend/executable.hpp"

namespace tilewright::cuda {

// Loads a cubin into the calling thread's current context if that is one of the plan's device,
// else into the device's primary one; the thread's current context stays what it was. Throws
// MachineError: no such device, code that does not load, launches that its kernels do not take.
std::unique_ptr<Executable> make_executable(const ExecutablePlan& plan);

}  // namespace tilewright::cuda
