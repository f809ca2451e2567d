#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <span>
#include <vector>

#include "tuner/cuda/session/operands.hpp"

namespace tilewright::cuda {

// The operand sets that a cold measurement rotates. The first is the operands themselves; the
// others are copies of it in one piece of device memory.
class OperandSets {
 public:
  // Throws InputError if the device has too little memory. `first` must outlive the sets.
  OperandSets(const Operands& first, int wanted, cudaStream_t stream);

  int count() const { return static_cast<int>(pointers_.size()); }
  // The CallOperands::pointers of a call. Any number from 0 is accepted.
  std::span<void* const> for_call(int call) const;

 private:
  DeviceMemory copies_;
  std::vector<std::vector<void*>> pointers_;  // by set
};

}  // namespace tilewright::cuda
