#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <span>
#include <string_view>

#include "tuner/cuda/device/memory.hpp"

namespace tilewright {

// The texts of clocks.cu and checksum.cu.
extern const std::string_view kClockKernels;
extern const std::string_view kChecksumKernel;

}  // namespace tilewright

namespace tilewright::cuda {

// The small kernels of probe_source(), on one stream. One reads every SM's clock. One delays the
// stream while the host submits the work to be timed. One computes a checksum of a buffer.
class ServiceKernels {
 public:
  // `code` is probe_source() compiled for the device. Throws MachineError. The stream must
  // outlive the kernels.
  ServiceKernels(std::span<const std::uint8_t> code, int device, cudaStream_t stream);

  // Delays the stream by about 20 µs.
  void hold() const;

  // Reads the clocks at this point of the stream.
  void mark_start() const { mark(0); }
  void mark_end() const { mark(1); }

  // The median over the SMs of their clock between the two marks, in MHz; 0 if it is not known.
  // Waits for the stream.
  double megahertz() const;

  // Enqueues adding the checksum of `bytes` bytes at `data` (aligned to 8) to *sum. Both pointers
  // are to device memory.
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
