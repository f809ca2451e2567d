#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <span>
#include <vector>

#include "tuner/cuda/device/memory.hpp"
#include "tuner/verify/checked_problem.hpp"

namespace tilewright::cuda {

// The arguments of one problem with their buffers on the device.
class Operands : public OperandData {
 public:
  // Fills and uploads all of them. Throws MachineError, and InputError for a file that does not
  // fit.
  Operands(std::vector<PlannedBuffer> buffers, std::uint64_t seed, std::int64_t guard_bytes,
           cudaStream_t stream);

  const GuardedBuffer& device(std::size_t index) const { return device_[index]; }
  std::int64_t device_bytes() const;  // of all buffers, without guard zones

  BytesOf bytes() const;  // what the device holds when it is called

  // Poisons the outputs and restores the inouts before a verified call. Enqueues on the stream.
  void prepare() const;
  void restore_inouts() const;

  // What the argument's buffer holds now becomes what it is before a call. REQUIRES an input or
  // inout buffer. Waits for the stream.
  void keep(std::size_t index);

  // Restores inputs and guard zones after a kernel that wrote where it should not. Enqueues.
  void repair() const;
  void restore() const;  // all of it; waits

 private:
  void upload(std::size_t index, void* target) const;

  cudaStream_t stream_;
  std::vector<GuardedBuffer> device_;
  std::vector<DeviceMemory> pristine_;  // of inouts
};

// The operand sets that a cold measurement rotates. The first is the operands themselves; the
// others are copies of it in one piece of device memory.
class OperandSets {
 public:
  // Throws InputError if the device has too little memory. `first` must outlive the sets.
  OperandSets(const Operands& first, int wanted, cudaStream_t stream);

  int count() const { return static_cast<int>(sets_.size()); }
  // Of a call. Any number from 0 is accepted.
  std::span<const CallArgument> for_call(int call) const {
    return sets_[static_cast<std::size_t>(call) % sets_.size()];
  }

 private:
  DeviceMemory copies_;
  std::vector<std::vector<CallArgument>> sets_;
};

}  // namespace tilewright::cuda
