#include "tuner/host/launch/arguments.hpp"

#include <algorithm>

#include "tuner/backend/evaluator.hpp"
#include "tuner/host/threads/tensor_map.hpp"

namespace tilewright::host {
namespace {

std::uint8_t* mapped_memory(const PlannedArgument& argument, const CallOperands& operands) {
  if (argument.kind == PlannedArgument::Kind::workspace_map)
    return operands.workspace + argument.offset;
  return static_cast<std::uint8_t*>(
      operands.arguments[static_cast<std::size_t>(argument.index)].memory);
}

}  // namespace

ArgumentBlock arguments_of(const PlannedLaunch& launch, const CallOperands& operands) {
  using Kind = PlannedArgument::Kind;
  ArgumentBlock block;
  for (const PlannedArgument& argument : launch.arguments) {
    const auto index = static_cast<std::size_t>(argument.index);
    if (argument.kind == Kind::bytes) {
      block.add(argument.bytes.data(), argument.bytes.size());
    } else if (argument.kind == Kind::texture) {
      block.add(&operands.textures[index], sizeof(TextureHandle));
    } else if (argument.kind == Kind::workspace) {
      const void* const pointer = operands.workspace + argument.offset;
      block.add(&pointer, sizeof pointer);
    } else if (argument.has_map()) {
      const MappedTensor map = map_tensor(argument.map, mapped_memory(argument, operands));
      block.add(&map, sizeof map);
    } else if (const CallArgument& given = operands.arguments[index];
               argument.kind == Kind::argument && given.memory != nullptr) {
      block.add(&given.memory, sizeof given.memory);
    } else {  // the values may be only the first part
      std::vector<std::byte> bytes(given.values.begin(), given.values.end());
      bytes.resize(std::max(bytes.size(), static_cast<std::size_t>(argument.size)));
      block.add(bytes.data(), bytes.size());
    }
  }
  return block;
}

}  // namespace tilewright::host
