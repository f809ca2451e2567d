// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "definition/definition.hpp"
#include "tilewright/device.hpp"

namespace tilewright {

// Beyond this, twenty times the size in all, no measured problem or device stands in for another.
// At 4.16 a winner was worse than the default on an H200; nearer ones are a judgement there
// (docs/benchmarks/ladder.md).
constexpr double kFarthest = 3.0;

// Of a size as distances have it: less than 1 counts as 1.
double logarithm(std::int64_t size);

// Where a problem stands among the others of its operation: the logarithms of the dimensions that
// count as distance, and whatever must be equal.
class Place {
 public:
  // Nothing if a class of the operation has no value for this problem and device.
  static std::optional<Place> of(const Operation& operation, const Problem& problem,
                                 const Device& device);

  bool is_same_class(const Place& other) const { return classes_ == other.classes_; }
  // The sum of |ln(a / b)| over the dimensions. REQUIRES is_same_class(other).
  double distance_to(const Place& other) const;

  const std::vector<double>& logarithms() const { return logarithms_; }
  const std::vector<Value>& classes() const { return classes_; }

 private:
  std::vector<double> logarithms_;
  std::vector<Value> classes_;
};

// The sum of |ln(a / b)| over SMs, L2 and shared memory of an SM; 0 for equal devices. Nothing for
// devices of different compute capabilities, or two hosts: their results say too little.
std::optional<double> distance_between(const Device& one, const Device& other);

// A problem on a device.
struct Standpoint {
  Place place;
  Device device;
};

// The sum of both distances; nothing where one cannot stand in for the other: another class, an
// unrelated device, or farther than that.
std::optional<double> distance_between(const Standpoint& one, const Standpoint& other,
                                       double farthest = kFarthest);

}  // namespace tilewright
