// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include "campaign/compile_processes.hpp"
#include "tools/input/machine.hpp"
#include "tools/input/options.hpp"

namespace tilewright::tools {

// The compile processes that a command line asks for.
class PoolQueue final : public CompileProcesses {
 public:
  // Reads --jobs, --cache, --compile-limit and --compile-memory. Throws InputError, and
  // MachineError where there is no compiler.
  PoolQueue(const Arguments& arguments, DeviceKind kind);
};

}  // namespace tilewright::tools
