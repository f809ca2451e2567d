#pragma once

#include <vector>

#include "definition/operation.hpp"

namespace tilewright::test {

// The largest problem of each workload, for implementations that the default problem is too small
// for.
inline std::vector<Settings> largest_of_workloads(const Operation& operation) {
  std::vector<Settings> problems;
  for (const Workload& workload : operation.workloads) {
    Settings& values = problems.emplace_back();
    for (const Workload::Range& range : workload.sizes) values[range.dimension] = range.to;
  }
  return problems;
}

}  // namespace tilewright::test
