#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "tuner/backend/executable.hpp"
#include "tuner/plan/launch_plan.hpp"

namespace tilewright::host {

// A kernel's arguments, each aligned for any type, and the pointers to them.
class ArgumentBlock {
 public:
  void add(const void* bytes, std::size_t size) {
    auto& slot = slots_.emplace_back((size + sizeof(Slot) - 1) / sizeof(Slot) + 1);
    std::memcpy(slot.data(), bytes, size);
    pointers_.push_back(slot.data());
  }
  void** pointers() { return pointers_.data(); }

 private:
  struct alignas(64) Slot {  // a tensor map needs it
    std::uint8_t bytes[64] = {};
  };
  std::vector<std::vector<Slot>> slots_;
  std::vector<void*> pointers_;
};

// What a launch gives its kernel. Throws TrialError for memory that a tensor map cannot be of.
ArgumentBlock arguments_of(const PlannedLaunch& launch, const CallOperands& operands);

}  // namespace tilewright::host
