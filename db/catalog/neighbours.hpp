// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "db/ladder/distance.hpp"

namespace tilewright {

// The measured problems of one operation, ready to be asked which are near. Distances are worked
// out for all of them; classes only for those near enough, once. Not thread-safe.
class NearbySubjects {
 public:
  struct Measured {
    std::string settings;    // of the problem, canonical JSON
    std::size_t device = 0;  // into `devices`
  };
  // One that is no problem of the operation is near nothing.
  NearbySubjects(const Operation& operation, std::vector<Device> devices,
                 std::vector<Measured> measured);

  // Which of `measured`, by position, may stand in for this problem on this device, as
  // ladder::find_nearest() says: those on this device first, then by distance.
  std::vector<std::size_t> near(const Operation& operation, const Problem& problem,
                                const Device& device);

 private:
  class Asked;
  const std::optional<Place>& place_of(const Operation& operation, std::size_t measured);

  std::vector<Device> devices_;
  std::vector<Measured> measured_;
  std::size_t dimensions_ = 0;      // that count as distance
  std::vector<double> logarithms_;  // of each of `measured_`, in the order of the operation
  std::map<std::size_t, std::optional<Place>> places_;  // of those that were once near
};

}  // namespace tilewright
