#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "tuner/host/threads/module.hpp"

namespace tilewright::host {

// A block that is to run: its copy of the kernel, whose state has its index, and its shared memory.
struct ClusterBlock {
  KernelState* state = nullptr;
  EntryFunction entry = nullptr;
  std::span<std::uint8_t> dynamic_shared = {};
  std::span<const std::span<std::uint8_t>> static_shared = {};
};

// Where `other`, a block of the same kernel, has what `block` has at `own`. Null if that is not in
// the block's shared memory.
void* same_in(const ClusterBlock& other, const ClusterBlock& block, const void* own);

// "byte 128 of dynamic shared memory"; nothing if the address is not in the block's shared memory.
std::optional<std::string> place_in(const ClusterBlock& block, const void* address);

}  // namespace tilewright::host
