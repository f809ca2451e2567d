// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tools/input/machine.hpp"

#include "tilewright/error.hpp"
#include "tools/input/paths.hpp"

namespace tilewright::tools {

Toolchain toolchain() {
  std::error_code error;  // without such a place, only the host's compiler cannot work
  return {host_compiler(), toolkit_folders(), std::filesystem::temp_directory_path(error)};
}

DeviceReport find_device(const std::string& name) {
  try {
    return tilewright::find_device(name);
  } catch (const InputError& error) {
    throw InputError(std::string("--") + error.what());
  }
}

std::string compiler_version(DeviceKind kind) {
  return tilewright::compiler_version(kind, toolchain());
}

Environment environment_of(const DeviceReport& report) {
  return tilewright::environment_of(report, toolchain());
}

PlannedTarget plan_for(const std::string& architecture) {
  return {architecture, backend_of(DeviceKind::cuda).planned_device(architecture, toolchain())};
}

}  // namespace tilewright::tools
