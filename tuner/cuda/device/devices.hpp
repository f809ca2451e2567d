#pragma once

#include "tuner/backend/device_report.hpp"

namespace tilewright::cuda {

// The devices that the driver reports. If there are none, `why` says so: "no NVIDIA driver", "the
// driver is too old for CUDA 13.0", "no CUDA device". Does not throw if something is missing.
DeviceList list_devices();

// Makes a device the calling thread's current one. The destructor restores the thread's context.
// If the current context belongs to that device it stays, whoever made it; else the device's
// primary context becomes current.
class DeviceScope {
 public:
  // Throws MachineError.
  explicit DeviceScope(int device);
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;
  ~DeviceScope();

 private:
  void* context_before_ = nullptr;  // a CUcontext; null: the thread had none
  int device_before_ = 0;
  bool has_changed_ = false;
};

// The destructor makes that device current again which is current for the calling thread now.
class KeepCurrentDevice {
 public:
  KeepCurrentDevice();
  KeepCurrentDevice(const KeepCurrentDevice&) = delete;
  KeepCurrentDevice& operator=(const KeepCurrentDevice&) = delete;
  ~KeepCurrentDevice();

 private:
  int device_ = -1;  // none: CUDA cannot be used
};

// Throws InputError unless the device is the calling thread's current one.
void require_current_device(int device);

}  // namespace tilewright::cuda
