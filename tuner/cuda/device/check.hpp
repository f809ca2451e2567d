#pragma once

#include <cuda_runtime_api.h>

#include <string>
#include <string_view>

#include "tuner/backend/evaluator.hpp"

namespace tilewright::cuda {

// "cudaErrorMisalignedAddress: misaligned address"
std::string error_text(cudaError_t error);

// Throws MachineError "cannot WHAT: …" unless the call succeeded, and clears the last error.
void check(cudaError_t error, std::string_view what);

// A number of the device. Throws MachineError as check() does.
int device_attribute(cudaDeviceAttr attribute, int device, std::string_view what);

// Ignores an error and clears it; for destructors.
void swallow(cudaError_t error) noexcept;

// The Failure that an error of the code under trial means: `faulted` if this process can no longer
// use the device, else `launch_failed`. Clears the last error. Throws MachineError for errors that
// no kernel can cause, such as uncorrectable memory errors.
Failure failure_of(cudaError_t error, std::string_view what);

// Throws a TrialError with failure_of() unless the call succeeded.
void check_trial(cudaError_t error, std::string_view what);

// A function of the driver that the CUDA runtime has loaded; null if the driver has none of that
// name.
void* find_driver_function(const char* name);

template <class Function>
Function driver_function(const char* name) {
  return reinterpret_cast<Function>(find_driver_function(name));
}

}  // namespace tilewright::cuda
