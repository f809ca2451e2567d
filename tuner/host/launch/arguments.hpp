#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "tuner/backend/executable.hpp"
#include "tuner/host/threads/tensor_map.hpp"

namespace tilewright::host {

// A kernel's arguments, each aligned for any type, and the pointers to them.
class ArgumentBlock {
 public:
  // Zeros follow the bytes up to `room`.
  void add(const void* bytes, std::size_t size, std::size_t room = 0) {
    auto& slot = slots_.emplace_back((std::max(size, room) + sizeof(Slot) - 1) / sizeof(Slot) + 1);
    if (size > 0) std::memcpy(slot.data(), bytes, size);
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

inline std::uint8_t* mapped_memory(const PlannedArgument& argument, const CallOperands& operands) {
  if (argument.kind == PlannedArgument::Kind::workspace_map)
    return operands.memory.place_of(argument);
  return static_cast<std::uint8_t*>(
      operands.arguments[static_cast<std::size_t>(argument.index)].memory);
}

// What a launch gives its kernel. Throws TrialError for memory that a tensor map cannot be of.
inline ArgumentBlock arguments_of(const PlannedLaunch& launch, const CallOperands& operands) {
  using Kind = PlannedArgument::Kind;
  ArgumentBlock block;
  for (const PlannedArgument& argument : launch.arguments) {
    const auto index = static_cast<std::size_t>(argument.index);
    if (argument.kind == Kind::bytes) {
      block.add(argument.bytes.data(), argument.bytes.size());
    } else if (argument.kind == Kind::texture) {
      block.add(&operands.textures[index], sizeof(TextureHandle));
    } else if (argument.kind == Kind::workspace) {
      const void* const pointer = operands.memory.place_of(argument);
      block.add(&pointer, sizeof pointer);
    } else if (argument.has_map()) {
      const MappedTensor map = map_tensor(argument.map, mapped_memory(argument, operands));
      block.add(&map, sizeof map);
    } else if (const CallArgument& given = operands.arguments[index];
               argument.kind == Kind::argument && given.memory != nullptr) {
      block.add(&given.memory, sizeof given.memory);
    } else {  // the values may be only the first part
      block.add(given.values.data(), given.values.size(), static_cast<std::size_t>(argument.size));
    }
  }
  return block;
}

}  // namespace tilewright::host
