// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "tuner/backend/device_report.hpp"
#include "tuner/worker/process.hpp"

namespace tilewright {

// The right to measure on a device, which one process of this machine has at a time, whoever
// runs it: a lock of the kernel on a file that is never removed. It is released with the object
// and when the process ends in any way.
class DeviceLock {
 public:
  // Nothing if another has it. Throws MachineError where no lock file can be had.
  static std::optional<DeviceLock> try_take(const std::filesystem::path& file);

  // What its holder wrote there, for a message: "process 12 since 14:03:20 (tilewright sweep …)".
  static std::string holder(const std::filesystem::path& file);

 private:
  explicit DeviceLock(Descriptor file) : file_(std::move(file)) {}
  void sign() const;

  Descriptor file_;
};

struct DeviceClaim {
  std::optional<DeviceLock> lock;  // empty: `stop` was set first
  bool waited = false;
};

// Waits until nobody else measures on the device; is told once, in a sentence, if it has to. What
// `on_wait` throws ends the waiting.
DeviceClaim claim_device(const DeviceReport& device, const std::atomic<bool>& stop,
                         const std::function<void(const std::string&)>& on_wait);

}  // namespace tilewright
