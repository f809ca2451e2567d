#pragma once

#include <cuda.h>

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "tuner/backend/executable.hpp"

namespace tilewright::cuda {

// The parameters of one launch: addresses of their bytes, which the driver copies. They have a
// fixed size on the stack. Only tensor maps and values that must be padded need the heap. A launch
// has at most kMostLaunchParameters.
class ParameterAddresses {
 public:
  // The launch, and what the operands refer to, must outlive the addresses. Throws TrialError for a
  // tensor map: unsupported if the driver has none, launch_failed if the hardware does not support
  // this one.
  ParameterAddresses(const PlannedLaunch& launch, const CallOperands& operands);
  ParameterAddresses(const ParameterAddresses&) = delete;
  ParameterAddresses& operator=(const ParameterAddresses&) = delete;

  void** get() { return addresses_.data(); }

 private:
  void add(const PlannedArgument& planned, const CallOperands& operands);
  void add_address(const void* address) { addresses_.at(count_++) = const_cast<void*>(address); }
  void add_pointer(void* pointer);
  void add_map(const PlannedTensorMap& map, void* base);
  void add_values(std::span<const std::byte> values, std::int64_t size);

  std::size_t count_ = 0;
  std::array<void*, kMostLaunchParameters + 1> addresses_;
  std::array<void*, kMostLaunchParameters> pointers_;
  std::vector<std::unique_ptr<std::byte[]>> padded_;
  std::vector<std::unique_ptr<CUtensorMap>>
      maps_;  // they contain addresses of this call's operands
};

}  // namespace tilewright::cuda
