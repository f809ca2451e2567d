// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tuner/backend/device_report.hpp"
#include "tuner/backend/executable.hpp"
#include "tuner/backend/facts.hpp"
#include "tuner/backend/machine_state.hpp"

namespace tilewright {

// Where compilers are.
struct Toolchain {
  std::filesystem::path host_compiler;                 // for the host device; empty: there is none
  std::vector<std::filesystem::path> toolkit_folders;  // of NVRTC, beside those the loader knows
  std::filesystem::path scratch = "/tmp";  // for a compiler's temporary files; empty: no place
};

// All that one kind of device needs. One object of each kind, without state (tuner/machine).
class Backend {
 public:
  virtual ~Backend() = default;

  // Asks the driver anew. Never throws for a missing part: the list says why it is empty.
  virtual DeviceList devices() const = 0;

  // Throws MachineError when there is no compiler.
  virtual std::unique_ptr<Compiler> make_compiler(const Toolchain& toolchain) const = 0;

  virtual std::unique_ptr<Evaluator> make_session() const = 0;
  // A session in the process of a caller who uses the device as well. While the session lives, the
  // calling thread's current device may change; then it is the caller's again.
  virtual std::unique_ptr<Evaluator> make_session_beside_caller() const { return make_session(); }

  // Loads code to launch it. Throws MachineError: no such device, code that does not load.
  virtual std::unique_ptr<Executable> make_executable(const ExecutablePlan& plan) const = 0;

  virtual BackendFacts facts(const Device& device) const = 0;

  // Never null: where nothing can be read, its readings say why.
  virtual std::unique_ptr<MachineMonitor> make_monitor(const DeviceReport& device) const = 0;

  // The limits of an architecture such as "sm_90a", for planning without a device. Throws
  // InputError for one that is not known.
  virtual Device planned_device(const std::string& architecture,
                                const Toolchain& toolchain) const = 0;

  // Fills all of `copy` from the caller's memory on a device of this kind. Throws InputError that
  // names the argument where the pointer is no such memory, and MachineError.
  virtual void read_memory(const void* memory, std::span<std::uint8_t> copy,
                           const std::string& argument) const = 0;
};

}  // namespace tilewright
