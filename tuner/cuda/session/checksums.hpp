// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tuner/cuda/session/operands.hpp"
#include "tuner/cuda/session/service_kernels.hpp"

namespace tilewright::cuda {

// Adds up on the device what a problem's inputs hold, so that a change shows whatever their size.
class Checksums {
 public:
  // For problems of at most `arguments` arguments. The kernels and the stream must outlive this.
  Checksums(const ServiceKernels& kernels, std::size_t arguments, cudaStream_t stream);

  // By argument; 0 for those that are no inputs. Waits for the stream.
  std::vector<std::uint64_t> of_inputs(const Operands& operands) const;

 private:
  const ServiceKernels& kernels_;
  cudaStream_t stream_;
  DeviceMemory sums_;
};

}  // namespace tilewright::cuda
