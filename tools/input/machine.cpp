// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tools/input/machine.hpp"

#include "tilewright/error.hpp"
#include "tools/input/paths.hpp"

namespace tilewright::tools {

Toolchain toolchain() {
  return {host_compiler(), toolkit_folders()};
}

DeviceReport find_device(const std::string& name) {
  try {
    return tilewright::find_device(name);
  } catch (const InputError& error) {
    throw InputError(std::string("--") + error.what());
  }
}

std::string compiler_version(CompilerKind kind) {
  return tilewright::compiler_version(kind, toolchain());
}

Environment environment_of(const DeviceReport& report) {
  return tilewright::environment_of(report, toolchain());
}

std::vector<std::string> compile_arguments(CompilerKind kind) {
  return tilewright::compile_arguments(kind, toolchain());
}

CompileResult compile_here(const CompileRequest& request, CodeForm form) {
  return tilewright::compile_here(request, form, toolchain());
}

PlannedTarget plan_for(const std::string& architecture) {
  return tilewright::plan_for(architecture, toolchain());
}

}  // namespace tilewright::tools
