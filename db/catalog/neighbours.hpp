// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "db/ladder/distance.hpp"
#include "db/ladder/ladder.hpp"
#include "db/store/store.hpp"

namespace tilewright {

// How many of what is near are read; more would help only if these do not fit.
inline constexpr std::size_t kMostNear = 4;

// The measured problems of one operation, ready to be asked which are near. Distances are worked
// out for all of them, and what is of the same class only among the nearest, once. Not thread-safe.
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
  // distance_between() has it. Those on this device first, then by distance; equally near ones in
  // their order. At most `most` of each of the two sorts.
  std::vector<std::size_t> near(const Operation& operation, const Problem& problem,
                                const Device& device, std::size_t most);

 private:
  enum class Where { here, elsewhere };
  struct Near {
    std::size_t measured = 0;
    double distance = 0;
  };
  std::vector<Near> within_reach(const Place& place, const Device& device, Where where) const;
  void append_nearest(std::vector<Near> found, const Operation& operation, const Place& place,
                      std::size_t most, std::vector<std::size_t>& nearest);
  const std::optional<Place>& place_of(const Operation& operation, std::size_t measured);

  std::vector<Device> devices_;
  std::vector<Measured> measured_;
  std::size_t dimensions_ = 0;      // that count as distance
  std::vector<double> logarithms_;  // of each of `measured_`, in the order of the operation
  std::map<std::size_t, std::optional<Place>> places_;  // of those that were once near
};

// Stored answers for the problem on the device.
std::vector<BestRow> exact_rows(const Store& store, const Problem& problem, const Device& device);

// The same of a store.
class StoredNeighbours {
 public:
  StoredNeighbours(const Operation& operation, SubjectList list);

  // Stored answers for the nearest. REQUIRES the store that the list is of.
  std::vector<BestRow> rows(const Store& store, const Operation& operation, const Problem& problem,
                            const Device& device);

 private:
  std::vector<SubjectList::Row> rows_;
  NearbySubjects nearby_;
};

// A store as the ladder reads it. The store must outlive it.
RowSource rows_of(const Store& store);

}  // namespace tilewright
