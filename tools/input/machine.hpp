// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "tuner/machine/machine.hpp"

namespace tilewright::tools {

// What this machine offers (tuner/machine/machine.hpp), with the compilers that the environment
// names.

using tilewright::compiler_for;
using tilewright::CompilerKind;
using tilewright::default_device;
using tilewright::devices_present;
using tilewright::facts_of;
using tilewright::gpus_present;
using tilewright::host_device;
using tilewright::monitor_for;
using tilewright::PlannedTarget;
using tilewright::session_arguments;
using tilewright::step_limits_for;

// From PATH, and from what CUDA's variables name.
Toolchain toolchain();

// The one that --device names.
DeviceReport find_device(const std::string& name);

std::string compiler_version(CompilerKind kind);
Environment environment_of(const DeviceReport& report);
std::vector<std::string> compile_arguments(CompilerKind kind);
PlannedTarget plan_for(const std::string& architecture);
using tilewright::CodeForm;
CompileResult compile_here(const CompileRequest& request, CodeForm form);

}  // namespace tilewright::tools
