#pragma once

#include <optional>
#include <vector>

#include "db/store/store.hpp"

namespace tilewright {

// How one implementation's answer for a problem, device and policy changed.
struct RowChange {
  std::optional<BestRow> first;   // none: only the second has it
  std::optional<BestRow> second;  // none: only the first has it
  bool has_other_winner = false;  // another configuration
  bool has_other_time = false;    // the 95 % intervals of the medians do not overlap
  double ratio = 0;               // second time ÷ first; 0: one of them is not known

  bool is_one_sided() const { return !first || !second; }
};

// The software and the power limits that a device's results were measured with, if they differ.
struct SoftwareChange {
  Device device;
  std::vector<Environment> first;  // each once, in the order of their texts
  std::vector<Environment> second;
};

struct RowDifference {
  std::vector<SoftwareChange> software;
  std::vector<RowChange> changes;  // by device, problem, policy, implementation
  std::size_t same = 0;            // the same winner, and a time within the noise
};

// The changes from the first rows to the second. Superseded rows do not count, so each list has at
// most one row for an implementation, device, problem and policy.
RowDifference difference_of(const std::vector<BestRow>& first, const std::vector<BestRow>& second);

}  // namespace tilewright
