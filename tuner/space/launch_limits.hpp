#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "tuner/space/bindings.hpp"
#include "tuner/space/configurations.hpp"
#include "tuner/space/limits.hpp"

namespace tilewright {

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
