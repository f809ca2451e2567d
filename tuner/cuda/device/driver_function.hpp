#pragma once

namespace tilewright::cuda {

// A function of the driver that the CUDA runtime has loaded; null if the driver has none of that
// name.
void* find_driver_function(const char* name);

template <class Function>
Function driver_function(const char* name) {
  return reinterpret_cast<Function>(find_driver_function(name));
}

}  // namespace tilewright::cuda
