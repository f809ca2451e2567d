#pragma once

#include <map>

#include "bench/peers/rivals/arena.hpp"
#include "bench/peers/rivals/device_code.hpp"

namespace tilewright::bench {

// The limits of this GPU, measured in this run: multiply-adds and copying.
class Ceilings {
 public:
  // `arena` must outlive it. Throws MachineError.
  explicit Ceilings(Arena& arena);

  // FP32 multiply-adds. Each counts as two operations.
  double flops_per_us() const { return flops_per_us_; }

  // The time of a copy that reads half of the bytes and writes the other half, under the arena's
  // policy.
  double copy_us(double bytes);
  const std::map<std::int64_t, double>& copies_us() const { return copies_us_; }  // by floats

  // The least time for that work: the longer of the two times.
  double floor_us(double flops, double bytes);

 private:
  Arena& arena_;
  DeviceCode code_;
  double flops_per_us_ = 0;
  std::map<std::int64_t, double> copies_us_;
};

}  // namespace tilewright::bench
