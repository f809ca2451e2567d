// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "db/catalog/distance.hpp"
#include "db/catalog/ladder.hpp"
#include "db/store.hpp"

namespace tilewright {

// How many of what is near are read; more would help only if these do not fit.
inline constexpr std::size_t kMostNear = 4;

// The measured problems of one operation, ready to be asked which are near. Immutable.
class NearbySubjects {
 public:
  NearbySubjects(const Operation& operation, std::vector<Subject> subjects);

  // Subjects that may stand in for this problem on this device, as distance_between() has it.
  // Those on this device first, then by distance. At most `most` of each of the two sorts.
  std::vector<Subject> near(const Operation& operation, const Problem& problem,
                            const Device& device, std::size_t most) const;

 private:
  struct Known {
    Subject subject;
    Standpoint standpoint;
  };
  std::vector<Known> known_;
};

// Stored answers for the problem on the device.
std::vector<BestRow> exact_rows(const Store& store, const Problem& problem, const Device& device);

// Stored answers for the nearest of `neighbours`, which are the store's.
std::vector<BestRow> near_rows(const Store& store, const NearbySubjects& neighbours,
                               const Operation& operation, const Problem& problem,
                               const Device& device);

// A store as the ladder reads it. The store must outlive it.
RowSource rows_of(const Store& store);

}  // namespace tilewright
