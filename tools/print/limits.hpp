#pragma once

#include <optional>
#include <string>

#include "definition/definition.hpp"
#include "tilewright/device.hpp"

namespace tilewright::tools {

// The fastest that a device computes with some type of numbers.
struct ArithmeticLimit {
  std::string name;  // "FP32", "BF16"
  double gflops = 0;
};

// That of the products of a problem, at an SM clock: of its choices type_a, type_b and precision if
// the operation has these, else FP64 or FP32 by its arguments. Nothing for other kinds of devices
// than those whose figures are known, and for problems without floating-point arguments.
// Source: operations per clock and SM, CUDA C++ Programming Guide, table "Throughput of Native
// Arithmetic Instructions"; tensor cores: NVIDIA's A100 and H100 architecture papers, dense.
std::optional<ArithmeticLimit> arithmetic_limit(const Operation& operation, const Problem& problem,
                                                const Device& device, double sm_mhz);

}  // namespace tilewright::tools
