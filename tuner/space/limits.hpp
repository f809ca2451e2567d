#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "definition/definition.hpp"
#include "tilewright/device.hpp"
#include "tilewright/trial.hpp"
#include "tuner/backend/launch_plan.hpp"

namespace tilewright {

// A limit that a configuration violates.
struct Violation {
  std::string rule;     // stable name, stored
  std::string message;  // "block of 64 × 32 = 2048 threads; the device allows 1024"
};

// Checks what is known before a compile: threads per block and its dimensions, the estimate's
// shared memory and registers, dynamic shared memory, grid dimensions, empty launches, tensor maps.
std::optional<Violation> static_violation(const Implementation& implementation,
                                          const LaunchPlan& plan, const Scope& scope,
                                          const Device& device);

// What the request demands of compiled code.
struct ResourceFloor {
  double occupancy = 0;                // at least this; resident warps over the limit, 0…1
  std::int64_t spill_bytes = 1 << 30;  // at most this
};

// Checks the compiler's report: shared memory, registers against the register file, resident
// blocks, and the request's floor.
std::optional<Violation> resource_violation(const Resources& resources, const Device& device,
                                            const ResourceFloor& floor);

}  // namespace tilewright
