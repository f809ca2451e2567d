#include "tuner/host/threads/cluster_block.hpp"

#include <fmt/format.h>

namespace tilewright::host {
namespace {

std::optional<std::size_t> offset_in(std::span<const std::uint8_t> bytes, const void* address) {
  const auto first = reinterpret_cast<std::uintptr_t>(bytes.data());
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  if (at < first || at - first >= bytes.size()) return std::nullopt;
  return at - first;
}

}  // namespace

void* same_in(const ClusterBlock& other, const ClusterBlock& block, const void* own) {
  if (const auto offset = offset_in(block.dynamic_shared, own))
    return other.dynamic_shared.data() + *offset;
  for (std::size_t i = 0; i < block.static_shared.size(); ++i)
    if (const auto offset = offset_in(block.static_shared[i], own))
      return other.static_shared[i].data() + *offset;
  return nullptr;
}

std::optional<std::string> place_in(const ClusterBlock& block, const void* address) {
  if (const auto offset = offset_in(block.dynamic_shared, address))
    return fmt::format("byte {} of dynamic shared memory", *offset);
  for (const std::span<std::uint8_t>& variable : block.static_shared)
    if (const auto offset = offset_in(variable, address))
      return fmt::format("byte {} of a static variable of {} bytes in shared memory", *offset,
                         variable.size());
  return std::nullopt;
}

}  // namespace tilewright::host
