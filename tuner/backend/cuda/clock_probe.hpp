// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <span>

#include "tuner/backend/cuda/memory.hpp"

namespace tilewright::cuda {

// The two small kernels of probe_source(), on one stream: one reads every SM's clock, the other
// holds the stream back while the host submits what is to be timed.
class ClockProbe {
 public:
  // `code` is probe_source() compiled for the device. Throws MachineError. The stream must
  // outlive the probe.
  ClockProbe(std::span<const std::uint8_t> code, int device, cudaStream_t stream);

  // Keeps the stream busy for about 20 µs.
  void hold() const;

  // Reads the clocks at this point of the stream.
  void mark_start() const { mark(0); }
  void mark_end() const { mark(1); }

  // Median over the SMs of their clock between the two marks, MHz; 0 if it cannot be told.
  // Waits for the stream.
  double megahertz() const;

 private:
  void mark(std::int64_t slot) const;

  CodeLibrary library_;
  cudaKernel_t read_ = nullptr;
  cudaKernel_t delay_ = nullptr;
  cudaStream_t stream_ = nullptr;
  std::int64_t sm_count_ = 0;
  DeviceMemory readings_;
};

}  // namespace tilewright::cuda
