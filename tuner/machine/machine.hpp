// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tilewright/device.hpp"
#include "tuner/backend/compiler.hpp"
#include "tuner/backend/device_report.hpp"
#include "tuner/backend/facts.hpp"
#include "tuner/measure/machine_state.hpp"
#include "tuner/worker/step_limits.hpp"

namespace tilewright {

// What this machine and this build offer. With tuner/machine/own_context and campaign/caller_data
// the only part of it that knows whether the CUDA backend was built in.

// Where compilers are.
struct Toolchain {
  std::filesystem::path host_compiler;                 // for the host device; empty: there is none
  std::vector<std::filesystem::path> toolkit_folders;  // of NVRTC, beside those the loader knows
};

// GPUs. None is an empty list with the reason.
DeviceList gpus_present();

// This machine's CPU, on which everything can be measured too.
DeviceReport host_device();

// GPUs and, after them, the host.
std::vector<DeviceReport> devices_present();

// The first GPU if there is one, else the host.
DeviceReport default_device();

// The device that "cuda:1" or "host" names. Throws InputError for another form, MachineError when
// there is no such device; the message says what can be done without one.
DeviceReport find_device(const std::string& name);

// Who compiles for a device.
enum class CompilerKind { nvrtc, host };
CompilerKind compiler_for(const Device& device);

// "NVRTC 13.0", "g++ (Debian …) …". Throws MachineError when there is none.
std::string compiler_version(CompilerKind kind, const Toolchain& toolchain);

// All software that a result of this device depends on. Throws MachineError without a compiler.
Environment environment_of(const DeviceReport& report, const Toolchain& toolchain);

// What tilewright-worker needs to be told to work on such a device.
std::vector<std::string> compile_arguments(CompilerKind kind, const Toolchain& toolchain);
std::vector<std::string> session_arguments(const Device& device);

// How long its steps may take there, where nothing else is asked for.
StepLimits step_limits_for(const Device& device);

// Compiles for a GPU in this process, without the cache, to a cubin or to PTX (which is then in
// CompileResult::code). Throws MachineError without a compiler.
enum class CodeForm { cubin, ptx };
CompileResult compile_here(const CompileRequest& request, CodeForm form,
                           const Toolchain& toolchain);

// A GPU to plan for: limits without a device.
struct PlannedTarget {
  std::string architecture;  // "sm_90a"
  Device device;
};

// Throws InputError for an architecture that neither NVRTC nor the table of limits knows.
PlannedTarget plan_for(const std::string& architecture, const Toolchain& toolchain);

BackendFacts facts_of(const Device& device);

// Never null: where nothing can be read, its readings say why.
std::unique_ptr<MachineMonitor> monitor_for(const DeviceReport& device);

}  // namespace tilewright
