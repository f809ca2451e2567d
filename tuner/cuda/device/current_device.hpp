// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

namespace tilewright::cuda {

// Makes a device the calling thread's current one, and puts the thread's context back at the end.
// A current context of that device stays, whoever made it; else the device's primary one is taken.
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

// Throws InputError unless the device is the calling thread's current one.
void require_current_device(int device);

}  // namespace tilewright::cuda
