#pragma once

#include <vector>

#include "tests/support/gemm_cases.hpp"

namespace tilewright::test {

// Problems of layers, their types included, for one kernel each, and conditions for each of them.
// For blocked, window and winograd, whose sums are of plain cores. Those of blocked have every way
// to share a sum.
std::vector<GemmCase> blocked_layers();
std::vector<GemmCase> window_layers();
std::vector<GemmCase> winograd_layers();

// For depthwise and depthwise_toeplitz, with a channel in each group: strides, dilations,
// boundaries, several filters for a channel, and images that are smaller than a filter.
std::vector<GemmCase> depthwise_cases();
std::vector<GemmCase> depthwise_toeplitz_cases();

}  // namespace tilewright::test
