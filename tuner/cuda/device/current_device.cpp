#include "tuner/cuda/device/current_device.hpp"

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "tilewright/error.hpp"
#include "tuner/cuda/device/check.hpp"
#include "tuner/cuda/device/driver_function.hpp"

namespace tilewright::cuda {
namespace {

// The runtime has no functions for contexts that other libraries made.
struct ContextFunctions {
  decltype(&cuCtxGetCurrent) get_current =
      driver_function<decltype(&cuCtxGetCurrent)>("cuCtxGetCurrent");
  decltype(&cuCtxSetCurrent) set_current =
      driver_function<decltype(&cuCtxSetCurrent)>("cuCtxSetCurrent");

  static const ContextFunctions& get() {
    static const ContextFunctions functions;
    return functions;
  }
};

}  // namespace

DeviceScope::DeviceScope(int device) {
  const ContextFunctions& functions = ContextFunctions::get();
  CUcontext context = nullptr;
  if (functions.get_current != nullptr) functions.get_current(&context);
  check(cudaGetDevice(&device_before_), "ask for the current device");
  if (context != nullptr && device_before_ == device) return;
  check(cudaSetDevice(device), fmt::format("use device cuda:{}", device));
  context_before_ = context;
  has_changed_ = true;
}

DeviceScope::~DeviceScope() {
  if (!has_changed_) return;
  if (context_before_ != nullptr)
    ContextFunctions::get().set_current(static_cast<CUcontext>(context_before_));
  else
    swallow(cudaSetDevice(device_before_));
}

KeepCurrentDevice::KeepCurrentDevice() {
  if (const cudaError_t error = cudaGetDevice(&device_); error != cudaSuccess) {
    swallow(error);
    device_ = -1;
  }
}

KeepCurrentDevice::~KeepCurrentDevice() {
  int now = -1;
  if (device_ < 0 || cudaGetDevice(&now) != cudaSuccess || now == device_) return;
  swallow(cudaSetDevice(device_));
}

void require_current_device(int device) {
  int current = -1;
  const cudaError_t error = cudaGetDevice(&current);
  if (error != cudaSuccess)
    throw LaunchError("asking for the current device: " + error_text(error));
  if (current != device)
    throw InputError(
        fmt::format("the calling thread's current device is cuda:{}, the kernel's is cuda:{}",
                    current, device));
}

}  // namespace tilewright::cuda
