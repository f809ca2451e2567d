// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/device_selector.hpp"
#include "tuner/backend/backend.hpp"

namespace tilewright {

// What this machine and this build offer. The only library that knows which backends were built.

// Null where this build has none of the kind.
const Backend* find_backend(DeviceKind kind);
// Throws MachineError that says why this build has none.
const Backend& backend_of(DeviceKind kind);

// Asked once: devices neither come nor go while a process lives. Safe to use from many threads.
const DeviceList& devices_of(DeviceKind kind);

// Without the host. None is an empty list with the reason.
DeviceList gpus_present();

// GPUs and, after them, the host.
std::vector<DeviceReport> devices_present();

// "cuda:1", "cuda", "host" or "auto"; nothing for any other text.
std::optional<DeviceSelector> parse_device(const std::string& text);

// Whether the text begins as a device's id does ("cuda:x"), so that it is no part of the name of a
// stored device.
bool is_device_id(const std::string& text);

// Throws MachineError that says what is present.
const DeviceReport& local_device(DeviceSelector selector);

// The device to measure on that "cuda:1" or "host" names. Throws InputError for another form,
// MachineError when there is no such device; the message says what can be done without one.
const DeviceReport& find_device(const std::string& name);

// c++, g++ or clang++ of /usr/bin; empty: none of them is there.
std::filesystem::path usual_host_compiler();

// "NVRTC 13.0", "g++ (Debian …) …". Throws MachineError when there is none.
std::string compiler_version(DeviceKind kind, const Toolchain& toolchain);

// All software that a result of this device depends on. Throws MachineError without a compiler.
Environment environment_of(const DeviceReport& report, const Toolchain& toolchain);

// The session, but once a kernel has faulted, opening it or loading another kernel throws
// MachineError: the context that it ran in is lost.
std::unique_ptr<Evaluator> until_context_is_lost(std::unique_ptr<Evaluator> session);

}  // namespace tilewright
