#pragma once

#include <string>
#include <utility>
#include <vector>

#include "definition/definition.hpp"
#include "tilewright/device.hpp"

namespace tilewright::test {

inline Parameter parameter(const std::string& name, std::vector<Value> values, Value standard,
                           const std::string& active = "") {
  Parameter result;
  result.name = name;
  result.values = std::move(values);
  result.default_value = std::move(standard);
  if (!active.empty()) result.active = Expression::parse(active);
  return result;
}

inline Constraint constraint(const std::string& require, const std::string& why = "") {
  return {Expression::parse(require), why};
}

// An implementation `copy/plain` of one launch with one thread; parameters to be added.
inline Implementation plain() {
  Implementation implementation;
  implementation.name = "plain";
  implementation.operation = "copy";
  Launch launch;
  launch.entry = "copy";
  implementation.launches = {launch};
  return implementation;
}

inline Operation copy() {
  Operation operation;
  operation.name = "copy";
  return operation;
}

// With the limits of an H100 or H200.
inline Device hopper() {
  Device device;
  device.compute_capability = 90;
  device.sm_count = 132;
  device.shared_bytes_per_block = 232448;
  device.shared_bytes_per_sm = 233472;
  device.registers_per_block = 65536;
  device.registers_per_sm = 65536;
  device.max_threads_per_sm = 2048;
  device.max_blocks_per_sm = 32;
  return device;
}

}  // namespace tilewright::test
