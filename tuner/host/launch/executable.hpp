// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "tuner/backend/executable.hpp"

namespace tilewright::host {

// Loads code of HostCompiler. All executables of a process share threads, so that calls run one
// after another. Throws MachineError for code that does not load or that this device cannot run.
std::unique_ptr<Executable> make_executable(const ExecutablePlan& plan);

}  // namespace tilewright::host
