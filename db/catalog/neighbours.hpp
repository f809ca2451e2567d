#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "db/ladder/distance.hpp"
#include "db/records/sweep_records.hpp"

namespace tilewright {

// Finds near problems among the measured ones of one operation. Computes the distance to all of
// them, but the class only of those near enough, and only once. Not thread-safe.
class NearbySubjects {
 public:
  // Ignores settings that are not a problem of the operation.
  NearbySubjects(const Operation& operation, SubjectList measured);

  // Those that may answer for this problem on this device, as ladder::find_nearest() finds them:
  // those on this device first, then by distance.
  std::vector<SubjectList::Row> near(const Operation& operation, const Problem& problem,
                                     const Device& device);

 private:
  class Asked;
  const std::optional<Place>& place_of(const Operation& operation, std::size_t measured);

  SubjectList measured_;
  std::size_t dimensions_ = 0;      // with the role `distance`
  std::vector<double> logarithms_;  // of each of `measured_`, in the order of the operation
  std::map<std::size_t, std::optional<Place>> places_;  // of those that were near a question
};

}  // namespace tilewright
