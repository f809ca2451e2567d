#pragma once

#include <string>
#include <vector>

#include "tilewright/device.hpp"
#include "tilewright/trial.hpp"

namespace tilewright::cuda {

// A device for planning on a machine without that GPU. Its limits are those of the compute
// capability (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability"); SM
// count and L2 are those of that capability's largest data-centre or desktop GPU. Throws InputError
// for an unknown capability.
Device planned_device(int compute_capability);

// Fills blocks_per_sm and occupancy of `resources` by NVIDIA's occupancy calculator
// (cuda_occupancy.h); the other fields must be known. 0 blocks mean that it cannot run. Both fields
// stay unchanged for a device that the calculator does not know, because it is newer than the
// toolkit.
void add_occupancy(Resources& resources, const Device& device);

// The compute capability of "sm_90" or "sm_90a" (90). The suffix `a` is accepted from sm_90 on, `f`
// from sm_100 on. Throws an InputError that lists the known ones.
int parse_architecture(const std::string& text, const std::vector<int>& known);

}  // namespace tilewright::cuda
