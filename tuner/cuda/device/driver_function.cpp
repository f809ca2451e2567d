#include "tuner/cuda/device/driver_function.hpp"

#include <cuda_runtime_api.h>

#include "tuner/cuda/device/check.hpp"

namespace tilewright::cuda {

void* find_driver_function(const char* name) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult status = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
  constexpr unsigned int kFirstVersion = 12000;
  const cudaError_t error =
      cudaGetDriverEntryPointByVersion(name, &function, kFirstVersion, cudaEnableDefault, &status);
#else
  const cudaError_t error = cudaGetDriverEntryPoint(name, &function, cudaEnableDefault, &status);
#endif
  swallow(error);
  const bool is_found = error == cudaSuccess && status == cudaDriverEntryPointSuccess;
  return is_found ? function : nullptr;
}

}  // namespace tilewright::cuda
