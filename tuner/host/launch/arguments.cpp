#include "tuner/host/launch/arguments.hpp"

#include "tuner/backend/evaluator.hpp"
#include "tuner/host/threads/tensor_map.hpp"

namespace tilewright::host {
namespace {

std::uint8_t* mapped_memory(const PlannedArgument& argument, const CallOperands& operands) {
  if (argument.kind == PlannedArgument::Kind::workspace_map)
    return operands.memory.place_of(argument);
  return static_cast<std::uint8_t*>(operands.pointers[static_cast<std::size_t>(argument.index)]);
}

}  // namespace

ArgumentBlock arguments_of(const PlannedLaunch& launch, const CallOperands& operands) {
  ArgumentBlock block;
  for (const PlannedArgument& argument : launch.arguments) {
    const auto index = static_cast<std::size_t>(argument.index);
    if (argument.kind == PlannedArgument::Kind::bytes) {
      block.add(argument.bytes.data(), argument.bytes.size());
    } else if (argument.kind == PlannedArgument::Kind::texture) {
      block.add(&operands.textures[index], sizeof(TextureHandle));
    } else if (argument.kind == PlannedArgument::Kind::workspace) {
      const void* const pointer = operands.memory.place_of(argument);
      block.add(&pointer, sizeof pointer);
    } else if (argument.has_map()) {
      const MappedTensor map = map_tensor(argument.map, mapped_memory(argument, operands));
      block.add(&map, sizeof map);
    } else if (argument.kind == PlannedArgument::Kind::by_value) {
      std::vector<std::uint8_t> bytes = operands.values[index];
      bytes.resize(static_cast<std::size_t>(argument.size));
      block.add(bytes.data(), bytes.size());
    } else if (operands.pointers[index] != nullptr) {
      block.add(&operands.pointers[index], sizeof(void*));
    } else {
      block.add(operands.values[index].data(), operands.values[index].size());
    }
  }
  return block;
}

}  // namespace tilewright::host
