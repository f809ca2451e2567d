#pragma once

#include <optional>
#include <vector>

#include "db/ladder/core.hpp"
#include "definition/definition.hpp"
#include "tilewright/device.hpp"

namespace tilewright {

// What ladder::distance_between() asks of devices.
inline bool is_same(const Device& there, const Device& here) {
  return there == here;
}
inline bool is_same_kind(const Device& there, const Device& here) {
  return there.kind == here.kind;
}

// A problem's place among the others of its operation: the logarithms of the dimensions with the
// role `distance`, and its class.
class Place {
 public:
  // Nothing if a class expression has no value for this problem and device.
  static std::optional<Place> of(const Operation& operation, const Problem& problem,
                                 const Device& device);

  bool is_same_class(const Place& other) const { return classes_ == other.classes_; }
  // The sum of |ln(a / b)| over the dimensions. REQUIRES a place of the same operation.
  double distance_to(const Place& other) const;
  // The same to a problem whose class is not known; infinite if it lacks a dimension.
  double distance_to(const Operation& operation, const Problem& other) const;

  const std::vector<double>& logarithms() const { return logarithms_; }
  const std::vector<Value>& classes() const { return classes_; }

 private:
  std::vector<double> logarithms_;
  std::vector<Value> classes_;
};

}  // namespace tilewright
