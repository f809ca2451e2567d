#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tilewright/device.hpp"
#include "tilewright/settings.hpp"

namespace tilewright::tools {

// A rate of arithmetic that a device cannot exceed.
struct ComputeLimit {
  std::string name;  // "FP32"
  double gflops = 0;
};

struct DeviceLimits {
  std::vector<ComputeLimit> compute;       // FP32 first; empty: not known
  std::optional<double> memory_gigabytes;  // per second
};

// The limits at this clock that matter for the problem: FP32, and those of tensor cores for the
// types that its choices name. From tables of NVIDIA's documents. What is not in them is not known;
// neither are a part of a GPU, the host device, and compute without a clock (0).
DeviceLimits limits_of(const Device& device, const Problem& problem, double sm_mhz);

// The one of them that the products of a problem cannot exceed: by its choices type_a, type_b and
// precision if it has these, else by the choice type, else FP32. Nothing if it is not known.
std::optional<ComputeLimit> product_limit(const Device& device, const Problem& problem,
                                          double sm_mhz);

}  // namespace tilewright::tools
