// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tuner/cuda/device/caller_memory.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "tilewright/error.hpp"
#include "tuner/cuda/device/check.hpp"

namespace tilewright::cuda {

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

void read_caller_memory(const void* device, std::span<std::uint8_t> host,
                        const std::string& argument) {
  const KeepCurrentDevice keep;
  cudaPointerAttributes attributes = {};
  check(cudaPointerGetAttributes(&attributes, device),
        fmt::format("look at the memory of '{}'", argument));
  if (attributes.type != cudaMemoryTypeDevice && attributes.type != cudaMemoryTypeManaged)
    throw InputError(fmt::format("array '{}': its data are not in memory of a GPU", argument));
  int now = -1;
  check(cudaGetDevice(&now), "ask for the current device");
  // Else the thread's context stays, which need not be the runtime's own.
  if (attributes.device != now)
    check(cudaSetDevice(attributes.device), fmt::format("use the device of '{}'", argument));
  check(cudaMemcpy(host.data(), device, host.size(), cudaMemcpyDefault),
        fmt::format("copy '{}' from the GPU", argument));
}

}  // namespace tilewright::cuda
