#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "definition/definition.hpp"
#include "tilewright/device.hpp"
#include "tilewright/trial.hpp"
#include "tuner/plan/launch_plan.hpp"
#include "tuner/space/bindings.hpp"
#include "tuner/space/configurations.hpp"

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

// The first of the implementation's remarks that is in the compiler's log. The rule is its `why`,
// the message the line of the log.
std::optional<Violation> remark_violation(const Implementation& implementation,
                                          const std::string& log);

// Checks millions of configurations against the hardware's limits. It notes which parameters are
// used while it plans and judges launches. Configurations that are equal in all of those share one
// verdict. All arguments must outlive it. Each call changes the bindings.
class LaunchLimits {
 public:
  LaunchLimits(const Operation& operation, const Implementation& implementation,
               const Device& device, const Radix& radix, Bindings& bindings);

  // Throws InputError that names the configuration if its launches cannot be planned.
  const std::optional<Violation>& violation(Code code);

  std::size_t judged() const { return judged_; }  // configurations for which launches were planned

 private:
  std::optional<Value> look_up(std::string_view name);
  std::optional<Violation> judge(Code code);
  Code key_of(Code code) const;

  const Operation& operation_;
  const Implementation& implementation_;
  const Device& device_;
  const Radix& radix_;
  Bindings& bindings_;
  std::vector<std::size_t> asked_for_;  // parameters used so far
  std::unordered_map<Code, std::optional<Violation>> verdicts_;
  std::size_t judged_ = 0;
};

}  // namespace tilewright
