#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "tuner/backend/device_report.hpp"
#include "tuner/worker/process.hpp"

namespace tilewright {

// The right to measure on a device. Only one process of this machine has it at a time, whichever
// user runs it. It is a kernel lock on a file that is never removed. The destructor releases it,
// and so does the end of the process.
class DeviceLock {
 public:
  // Nothing if another process has it. Throws MachineError if the lock file cannot be opened.
  static std::optional<DeviceLock> try_take(const std::filesystem::path& file);

  // The holder's entry, for a message: "process 12 since 14:03:20 (tilewright sweep …)".
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

// Waits until no other process measures on the device. If it must wait, it calls `on_wait` once
// with a sentence. An exception from `on_wait` ends the wait.
DeviceClaim claim_device(const DeviceReport& device, const std::atomic<bool>& stop,
                         const std::function<void(const std::string&)>& on_wait);

}  // namespace tilewright
