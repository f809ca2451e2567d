// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

namespace tilewright::cuda {

inline constexpr int kNvmlSuccess = 0;

// libnvidia-ml.so.1, loaded and initialised; released with the object. Its functions are looked
// up by name: nvml.h is not part of every toolkit.
class Nvml {
 public:
  Nvml();  // throws MachineError where there is none or it does not answer
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;
  ~Nvml();

  // nullptr: this driver's does not have it.
  template <class Function>
  Function find(const char* name) const {
    return reinterpret_cast<Function>(address(name));
  }
  std::string error_text(int result) const;  // "Not Supported"

 private:
  void* address(const char* name) const;

  struct CloseLibrary {
    void operator()(void* library) const noexcept;
  };
  std::unique_ptr<void, CloseLibrary> library_;
};

// The driver's version as NVML gives it, "580.159.04". Empty if there is no libnvidia-ml.so.1
// or it does not answer. NVML is loaded and released within the call.
std::string nvml_driver_version();

}  // namespace tilewright::cuda
