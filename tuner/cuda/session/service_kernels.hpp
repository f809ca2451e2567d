// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <span>

#include "tuner/cuda/device/memory.hpp"

namespace tilewright::cuda {

// The small kernels of probe_source(), on one stream: one reads every SM's clock, one holds the
// stream back while the host submits what is to be timed, one adds up what a buffer holds.
class ServiceKernels {
 public:
  // `code` is probe_source() compiled for the device. Throws MachineError. The stream must
  // outlive the kernels.
  ServiceKernels(std::span<const std::uint8_t> code, int device, cudaStream_t stream);

  // Keeps the stream busy for about 20 µs.
  void hold() const;

  // Reads the clocks at this point of the stream.
  void mark_start() const { mark(0); }
  void mark_end() const { mark(1); }

  // Median over the SMs of their clock between the two marks, MHz; 0 if it cannot be told.
  // Waits for the stream.
  double megahertz() const;

  // Adds the checksum of `bytes` at `data` (aligned to 8) to *sum, all on the device. Enqueued.
  void add_checksum(const std::uint8_t* data, std::int64_t bytes, std::uint64_t* sum) const;

 private:
  void mark(std::int64_t slot) const;
  void launch(cudaKernel_t kernel, std::int64_t blocks, std::int64_t threads,
              std::span<void*> arguments, const char* what) const;

  CodeLibrary library_;
  cudaKernel_t read_ = nullptr;
  cudaKernel_t delay_ = nullptr;
  cudaKernel_t checksum_ = nullptr;
  cudaStream_t stream_ = nullptr;
  std::int64_t sm_count_ = 0;
  DeviceMemory readings_;
};

}  // namespace tilewright::cuda
