#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <map>
#include <string>

#include "tuner/backend/compiler.hpp"
#include "tuner/cuda/device/memory.hpp"

namespace tilewright::bench {

// Compiled kernels of this program, launched with arguments by value.
class DeviceCode {
 public:
  // Throws MachineError.
  explicit DeviceCode(const CompileResult& code);

  template <class... Arguments>
  void launch(const std::string& entry, dim3 blocks, dim3 threads, cudaStream_t stream,
              Arguments... arguments) const {
    std::array<void*, sizeof...(Arguments)> addresses = {&arguments...};
    launch_raw(entry, blocks, threads, addresses.data(), stream);
  }

 private:
  void launch_raw(const std::string& entry, dim3 blocks, dim3 threads, void** arguments,
                  cudaStream_t stream) const;

  cuda::CodeLibrary library_;
  std::map<std::string, cudaKernel_t> kernels_;
};

}  // namespace tilewright::bench
