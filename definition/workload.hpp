#pragma once

#include <cstddef>
#include <vector>

#include "definition/definition.hpp"
#include "tilewright/device.hpp"

namespace tilewright {

// The operation's workloads. If its manifest has none: one, named "all", of sizes from an eighth of
// each default to eight times it.
std::vector<Workload> workloads_of(const Operation& operation);

// The sizes and choices of one problem of the workload; others are left to their defaults. The same
// for the same index, and any number of them from 0 on are spread evenly over the whole workload.
// For the host, which is slower, sizes are in proportion to `host_default`.
Settings drawn(const Operation& operation, const Workload& workload, std::size_t index,
               DeviceKind kind);

}  // namespace tilewright
