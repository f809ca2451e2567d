#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tilewright/device_selector.hpp"
#include "tuner/backend/backend.hpp"

namespace tilewright {

// Which devices this machine has. The only library that knows which backends were built.

// Throws MachineError that says why this build has no such backend.
const Backend& backend_of(DeviceKind kind);

// The driver is asked once for each process. Thread-safe.
const DeviceList& devices_of(DeviceKind kind);

// All GPUs. An empty list says why there is none.
DeviceList gpus_present();

// The GPUs, then the host.
std::vector<DeviceReport> devices_present();

// Whether the text begins like a device's id ("cuda:x"), and so is no part of a device's name.
bool is_device_id(const std::string& text);

// Throws MachineError that lists the devices that are present.
const DeviceReport& local_device(DeviceSelector selector);

// The device that "cuda:1" or "host" names, to measure on. Throws InputError for another form, and
// MachineError if there is no such device; its message says what works without one.
const DeviceReport& find_device(const std::string& name);

// The devices that a list names: "all" (the GPUs), or parts separated by commas: "cuda:0", "2" (the
// kind before it), a GPU's UUID as `nvidia-smi -L` lists it or its beginning, "host". "host:0,1,2"
// is the CPU as several devices, for trying out what several do. Throws InputError for another form
// or a repeated device, and MachineError like find_device().
std::vector<DeviceReport> find_devices(const std::string& list);

// The first of c++, g++ and clang++ in /usr/bin; empty if there is none.
std::filesystem::path usual_host_compiler();

// "NVRTC 13.0", "g++ (Debian …) …". Throws MachineError if there is no compiler.
std::string compiler_version(DeviceKind kind, const Toolchain& toolchain);

// The libraries that the backends of this build can call, found or not.
std::vector<RoutineLibrary> libraries_present(const Toolchain& toolchain);
// The version of the one that the routine calls; empty: there is none.
std::string library_version(const std::string& routine, const Toolchain& toolchain);

// All software that a result of this device depends on. Throws MachineError without a compiler.
Environment environment_of(const DeviceReport& report, const Toolchain& toolchain);

// Wraps a session. After a kernel has faulted, opening the session or loading a kernel throws
// MachineError, because the process has lost its context.
std::unique_ptr<Evaluator> until_context_is_lost(std::unique_ptr<Evaluator> session);

}  // namespace tilewright
